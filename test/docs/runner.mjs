// Runs blocks of the pages in one process, so that the package is loaded and compiled once. It is told a
// program's file ({ script }) or the words of a command ({ command }), and answers with what was printed, or
// with why it failed.
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { run } from '../../dist/cli/run.js';

const silent = {
  err: () => undefined,
  control: () => undefined,
  atEnd: () => undefined,
  outTerminal: false,
  ownProcess: false,
  terminal: false,
  width: 80,
  color: false,
  signal: new AbortController().signal,
};

process.on('message', async ({ script, command }) => {
  try {
    process.send({ printed: await (script ? runScript(script) : runCommand(command)) });
  } catch (error) {
    process.send({ failed: error.stack ?? String(error) });
  }
});

async function runScript(file) {
  const lines = [];
  const { log } = console;
  console.log = (...words) => lines.push(format(...words));
  try {
    await import(pathToFileURL(file).href);
  } finally {
    console.log = log;
  }
  return lines.map((line) => `${line}\n`).join('');
}

async function runCommand(words) {
  let [printed, said] = ['', ''];
  const out = async (data) => {
    printed += typeof data === 'string' ? data : Buffer.from(data).toString();
  };
  const err = (text) => {
    said += text;
  };
  const code = await run(words, { ...silent, out, err });
  if (code !== 0) throw new Error(said);
  return printed;
}
