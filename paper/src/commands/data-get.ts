import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { FormatError } from 'pc-ae';
import { type FetchOptions, fetchFile, fileDigest } from '../get/fetch-file.ts';
import { DATASETS, type Dataset, type RemoteFile } from '../get/public-sets.ts';
import { type UnpackedPictures, unpackPictures } from '../get/unpack-pictures.ts';
import { type Io, Session, timeLeft } from './session.ts';
import { examples } from './text.ts';

interface GetOptions {
  readonly folder?: string;
  readonly from?: string;
}

export function addDataGet(data: Command, io: Io): void {
  const command = data
    .command('get')
    .summary('fetch a public data set')
    .description(
      `Fetches the data sets of the paper's experiments from their public addresses and proves them by checksum, ` +
        `where one is known. Interrupted, the same command goes on where it stopped.\n\n${describeSets()}`,
    )
    .addArgument(new Argument('<name>', 'the data set').choices(Object.keys(DATASETS)))
    .option('--folder <path>', 'where the files go (default: data/NAME)')
    .option('--from <address>', 'a mirror: files are fetched from ADDRESS/FILE instead')
    .action(async (name: keyof typeof DATASETS, options: GetOptions) => {
      const session = new Session(command, io);
      const { files, hint }: Dataset = DATASETS[name];
      const folder = options.folder ?? join('data', name);
      await mkdir(folder, { recursive: true });
      const fetched: FetchedFile[] = [];
      for (const file of files) fetched.push(await fetchOne(file, folder, options, session));
      const next = hint.replace('FOLDER', folder);
      const lines = fetched.map(({ path, how, verified }) => `${path}: ${how}, ${proof(verified)}\n`);
      session.result(
        { name, folder, files: fetched, next, seconds: session.seconds },
        `${lines.join('')}next: ${next}\n`,
      );
    });
  command.addHelpText(
    'after',
    examples([
      ['data get mnist', 'four files in data/mnist'],
      ['data get mnist --from http://mirror.example/mnist', 'from another place, to the same checksums'],
    ]),
  );
}

interface FetchedFile {
  readonly path: string;
  readonly how: string;
  readonly sha256: string;
  /** By what the content was proven. */
  readonly verified: 'checksum' | 'pictures' | 'none';
}

function proof(verified: FetchedFile['verified']): string {
  if (verified === 'checksum') return 'checksum proven';
  return verified === 'pictures' ? 'every picture proven' : 'not proven: no checksum of it is known';
}

function describeSets(): string {
  return Object.entries(DATASETS)
    .map(([name, { about }]) => `${name}: ${about}.`)
    .join('\n');
}

async function fetchOne(
  file: RemoteFile,
  folder: string,
  options: GetOptions,
  session: Session,
): Promise<FetchedFile> {
  const { name, size, sha256, pictures } = file;
  const path = join(folder, name);
  const request: FetchOptions = {
    addresses: options.from ? [`${options.from.replace(/\/$/, '')}/${name}`] : file.addresses,
    size,
    sha256,
    signal: session.io.signal,
    onProgress: (bytes, total = size) =>
      session.progress(
        () => `${name}: ${total ? timeLeft(bytes / total, session.seconds) : `${bytes} bytes`}`,
      ),
  };
  const how = await fetchFile(path, request);
  if (pictures) await unpackOnce(path, join(folder, pictures.folder), pictures, session);
  const verified = sha256 ? 'checksum' : pictures ? 'pictures' : 'none';
  return { path, how, sha256: await fileDigest(path), verified };
}

async function unpackOnce(
  archive: string,
  folder: string,
  expected: { readonly count: number; readonly digest: string },
  session: Session,
): Promise<void> {
  const there = await stat(folder).then(
    () => true,
    () => false,
  );
  if (there) return;
  session.say(`unpacking ${archive}`);
  await unpackPictures(archive, folder, (found: UnpackedPictures) => {
    if (found.count === expected.count && found.digest === expected.digest) return;
    throw new FormatError(
      archive,
      '',
      `holds ${found.count} pictures with digest ${found.digest}; expected are ${expected.count} with ${expected.digest}`,
    );
  });
}
