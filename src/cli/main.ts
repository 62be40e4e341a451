#!/usr/bin/env node
import { enableRelaxedSimd } from '../engine/node/index.ts';
import { processIo } from './io.ts';
import { run } from './run.ts';

enableRelaxedSimd();
process.exitCode = await run(process.argv.slice(2), processIo());
