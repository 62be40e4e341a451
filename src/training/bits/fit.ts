import { packCodes } from '../../bits/pack.ts';
import type { Rows } from '../../rows/rows.ts';
import { likelihoodTemperature } from '../../search/temperature.ts';
import { withoutBias } from '../../solvers/codes.ts';
import { fingerprintOf } from '../checkpoint/fingerprint.ts';
import { residentData } from '../data.ts';
import type { FitResult } from '../fit.ts';
import { learn } from '../loop/loop.ts';
import type { Run } from '../loop/run.ts';
import { proveWeights } from '../refine/proof.ts';
import type { Settings } from '../settings.ts';
import { gatherCodes } from '../settle.ts';
import { splitRows } from '../training-set.ts';
import { BitPhases } from './phases.ts';
import { checkBitsSize, defaultPasses, planFor } from './plan.ts';
import { Starts } from './starts.ts';
import { BitsTrainer } from './trainer.ts';
import { BitsValidation } from './validate.ts';

/**
 * Learns a decoder for codes of true bits: the relaxation first, then rounds of the alternation. The rows are
 * in memory and each keeps its code. Both phases count as epochs, one pass over the rows each.
 */
export async function fitBits(rows: Rows, settings: Settings, run: Run): Promise<FitResult> {
  checkBitsSize(rows, settings.H);
  const { training, held } = await splitRows(rows, settings);
  if (run.identified) run.identify(await fingerprintOf(settings, training, held));
  const known = training.rows as Rows;
  const { engine, course } = run;
  const { H, start } = settings;
  if (engine.rehearsal) {
    await (await import('./rehearse.ts')).rehearse(engine.rehearsal(), known, settings);
  }
  const data = residentData(engine, known, settings.seed);
  const { block } = (await data.blocks()[Symbol.asyncIterator]().next()).value;
  const { n } = data;
  const phases = new BitPhases(run.visiting, block, settings, !start, engine);
  const validation = held && new BitsValidation(engine, held.rows, H);
  const starts = new Starts(engine, known, block, settings);
  const temperatureOf = async (W: Float32Array, codes: Float32Array) => {
    const { bias, loss: reconstructionLoss, columnWeights, seed } = settings;
    const decoder = { V: known.V, H, bias, W, reconstructionLoss, columnWeights };
    const options = { engine, queries: held?.rows, seed };
    return (await likelihoodTemperature(decoder, known, packCodes(codes, { n, H }, 'lsb'), options))
      .temperature;
  };
  try {
    run.report({ phase: 'start', fraction: 0, epoch: 0, loss: Number.NaN });
    if (start) phases.W.write(start);
    else if (!run.resumed) await starts.begin(phases, 0);
    const passes = Number.isFinite(settings.epochs) ? settings.epochs : defaultPasses(n, H);
    const plan = planFor(start ? 0 : passes, n, H);
    const trainer = new BitsTrainer(phases, settings, run, { plan, starts, validation });
    const { history, stopped } = await learn(trainer, run, { ...settings, patience: PATIENCE });
    const seen = history.at(-1)?.loss ?? Number.NaN;
    run.report({ phase: 'finish', fraction: 1, epoch: trainer.epoch, loss: seen });
    const proven =
      engine.newtonian(settings.loss, H) && settings.certify && stopped !== 'aborted' && stopped !== 'time';
    const loss = await phases.settle();
    await phases.measureCurvature();
    const codes = new Float32Array(n * H);
    gatherCodes(withoutBias(await phases.E.read(), H, phases.width), 0, H, data.order, codes);
    const W = await phases.W.read();
    return {
      n,
      W,
      B: await phases.correlations(),
      moments: await phases.moments(),
      radius: 1,
      loss,
      codes,
      curvature: Float32Array.from(phases.curvature),
      meanGap: await phases.meanGap(),
      temperature: stopped === 'aborted' ? undefined : await temperatureOf(W, codes),
      ...(proven ? await proveWeights(engine, phases.point(), phases.ridge) : {}),
      settings: { ...settings, ridge: phases.ridge },
      history,
      stopped,
      converged: stopped === 'converged',
      seconds: course.seconds,
    };
  } finally {
    validation?.free();
    starts.free();
    phases.free();
    data.close();
  }
}

/** Learning ends after this many rounds without a better validation loss. */
const PATIENCE = 5;
