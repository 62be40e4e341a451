// node bench/hidden-entries.mjs [--threads 2] TRAIN.csv:H[:HELD.csv] ... : what learning to fill in takes,
// and what it reaches.
//
// Learns as `pcae compare --hidden-entries` does (neighbours, a tenth of the rows for choices); seconds are
// of learning alone, without reading, hiding and measuring. Without a file of rows to measure on, a tenth of
// the rows is held out.
import { parseArgs } from 'node:util';
import { evaluateHidden, fit, openSource } from 'pc-ae/node';
import { trainingAndHeld } from '../dist/cli/held-out.js';
import { NEIGHBOURS } from '../dist/cli/training-options.js';
import { withEngine } from '../dist/engine/scope.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { threads: { type: 'string', default: '2' }, seed: { type: 'string', default: '1' } },
});
const seed = Number(options.seed);
console.log(
  '| table | million entries | seconds | processor seconds | each per million entries | nats per hidden entry |',
);
console.log('|---|---|---|---|---|---|');
for (const asked of positionals) {
  const [path, H, heldOut = 0.1] = asked.split(':');
  const { training, held } = await trainingAndHeld(await openSource(path), { heldOut, seed });
  await withEngine({ threads: Number(options.threads) }, async (engine) => {
    const [began, before] = [performance.now(), process.cpuUsage()];
    const model = await fit(training, {
      H: Number(H),
      seed,
      engine,
      validation: 0.1,
      neighbours: NEIGHBOURS,
    });
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(before);
    const processor = (user + system) / 1e6;
    const millions = (training.n * training.V) / 1e6;
    const { entryLoss } = await evaluateHidden(model, held, { seed, engine });
    const per = (x) => (x / millions).toFixed(1);
    console.log(
      `| ${path}, H = ${H} | ${millions.toFixed(2)} | ${seconds.toFixed(1)} | ${processor.toFixed(1)} | ` +
        `${per(seconds)}, ${per(processor)} | ${entryLoss.toFixed(4)} |`,
    );
  });
}
