import type { Command } from 'commander';
import { openBrowser } from '../../node/studio/open-browser.ts';
import { serveStudio } from '../../node/studio/server.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { whole } from '../parse.ts';
import { Session } from '../session.ts';

interface StudioOptions {
  readonly port: number;
  readonly open: boolean;
}

export function addStudio(program: Command, io: Io): void {
  const command = program
    .command('studio')
    .description(
      'Opens a page in the browser: read a table, watch it being learned, see rows beside what their ' +
        'codes decode to, explore a map of all rows, move the numbers of a code, fill in gaps. The work ' +
        'is done in the page; nothing is sent anywhere. The page can read the file named here and no ' +
        'other. Ctrl-C ends it.',
    )
    .argument('[file]', 'a file of rows, or a model, to open at once')
    .option(
      '--port <n>',
      'port to listen on, on this machine only; another one if it is taken',
      whole(0),
      7523,
    )
    .option('--no-open', 'print the address, which works once, instead of opening it')
    .action(async (file: string | undefined, options: StudioOptions) => {
      const session = new Session(command, io);
      const server = await serveStudio({ files: file === undefined ? [] : [file], port: options.port });
      try {
        const { address, port } = server;
        await session.result({ address, port }, `${address}\n`);
        const shown = options.open && (await openBrowser(address));
        session.say(
          shown ? 'The studio is open in the browser. Ctrl-C ends it.' : 'Open this address in a browser.',
        );
        await stopped(io.signal);
      } finally {
        await server.close();
      }
    });
  document(command, {
    examples: {
      'pcae studio': 'generated digits, learned as you watch',
      'pcae studio data.csv': 'your table',
      'pcae studio model.safetensors': 'a model',
      'pcae studio data.csv --no-open --port 8000':
        'an address to open yourself, for example through ssh -L 8000',
    },
    json: {
      address: 'the address to open, which works once',
      port: 'the port that it listens on',
    },
  });
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
