import type { Command } from 'commander';
import { writeAtomic } from 'pc-ae/node';
import { addressOf, openStore } from '../addresses.ts';
import { filesOf } from '../files-of.ts';
import type { Io } from '../io.ts';
import { manifestBytes } from '../manifest.ts';
import { shardFiles } from '../shard.ts';
import { whole } from './parse.ts';

interface Options {
  readonly output: string;
  readonly store?: string;
  readonly shardRows?: number;
  readonly asIs?: boolean;
  readonly binarize?: 'sample' | 'threshold' | 'none';
  readonly force?: boolean;
}

export function addShard(program: Command, io: Io): void {
  program
    .command('shard')
    .summary('cut tables into shards')
    .description(
      'Reads tables in any format that pcae reads, one after the other, and puts their rows into the store in shards of equal ' +
        'size. The manifest lists the shards with their hashes; the other commands take it as their table.',
    )
    .argument(
      '<data...>',
      'files in the order of their rows; also patterns (*, ?) and folders of Parquet files',
    )
    .requiredOption('-o, --output <manifest>', 'the manifest to write')
    .option('--store <address>', 'where shards go: file:FOLDER or s3://BUCKET/PREFIX (default: PCAE_STORE)')
    .option('--shard-rows <n>', 'rows per shard (default: as many as fit into 4 MiB)', whole)
    .option('--as-is', 'use every file as one shard, unchanged')
    .option('--binarize <how>', 'how grey values become bits: sample, threshold or none')
    .option('--force', 'overwrite the manifest')
    .action(async (paths: string[], options: Options) => {
      const { output, shardRows, asIs, binarize, force } = options;
      const store = await openStore(addressOf('store', options.store, io.env), { env: io.env });
      const reading = { ...(binarize && { binarize }), signal: io.signal };
      const { manifest, hash } = await shardFiles(await filesOf(paths), store, {
        ...{ ...reading, shardRows, asIs },
      });
      await writeAtomic(output, [manifestBytes(manifest)], { force });
      const { n, V, shards } = manifest;
      io.out(`${output}: ${n} rows of ${V} in ${shards.length} shards, ${hash}\n`);
    });
}
