import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressOf, openBoard, openStore, withoutSecrets } from '../src/addresses.ts';
import { run } from '../src/program.ts';
import { workFolder } from './helpers.ts';

const at = workFolder();
const secret = 'rediss://someone:hush@far.example:6380/0';

/** What a command line says, and how it ends. */
async function command(argv: readonly string[], env: Record<string, string> = {}) {
  let said = '';
  const say = (text: string) => {
    said += text;
  };
  const code = await run(argv, { out: say, err: say, env, signal: new AbortController().signal });
  return { code, said };
}

describe('addresses', () => {
  it('come from the command line, the environment or a file', () => {
    writeFileSync(at('address'), `${secret}\n`);
    expect(addressOf('queue', 'file:q', { PCAE_QUEUE: 'file:r' })).toBe('file:q');
    expect(addressOf('queue', undefined, { PCAE_QUEUE: secret })).toBe(secret);
    expect(addressOf('queue', undefined, { PCAE_QUEUE_FILE: at('address') })).toBe(secret);
    expect(() => addressOf('store', undefined, {})).toThrow('PCAE_STORE');
  });

  it('with a password are refused where everybody could read them, and are never shown', async () => {
    expect(() => addressOf('queue', secret, {})).toThrow(/PCAE_QUEUE/);
    expect(withoutSecrets(`cannot reach ${secret}`)).toBe('cannot reach rediss://far.example:6380/0');
    expect(withoutSecrets('redis://a:h@u/s:h@x:1, https://b:hush@y/z')).toBe('redis://x:1, https://y/z');
    const { code, said } = await command(['status', '--queue', secret]);
    expect([code, said]).toEqual([1, expect.not.stringContaining('hush')]);
    const unknown = await command(['status'], { PCAE_QUEUE: 'amqp://someone:hush@far.example' });
    expect([unknown.code, unknown.said]).toEqual([1, expect.not.stringContaining('hush')]);
  });

  it('of kinds that nobody knows are refused with those that there are', async () => {
    await expect(openBoard('amqp://x')).rejects.toThrow('redis://HOST:PORT');
    await expect(openStore('ftp://x')).rejects.toThrow('file:FOLDER');
    const { code, said } = await command(['status', '--queue', `file:${at('queue')}`]);
    expect([code, said]).toEqual([0, expect.stringContaining('no worker or coordinator has reported')]);
  });
});
