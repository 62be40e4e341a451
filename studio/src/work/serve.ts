import type { Answer, Ask, Doers, Fault, Stop } from './protocol.ts';

/** Answers the calls of a worker. */
export function serve<C>(doers: Doers<C>): void {
  const running = new Map<number, AbortController>();
  const post = (answer: Answer) => self.postMessage(answer);
  self.onmessage = async ({ data }: MessageEvent<Ask | Stop>) => {
    const { id } = data;
    if ('stop' in data) {
      running.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const work = doers[data.call as keyof C] as (given: unknown, context: unknown) => unknown;
      const tell = (tells: unknown) => post({ id, tells });
      post({ id, gives: await work(data.given, { signal: controller.signal, tell }) });
    } catch (error) {
      post({ id, fault: faultOf(error) });
    } finally {
      running.delete(id);
    }
  };
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message } = error;
  const { candidates } = error as Partial<Fault>;
  return { name, message: inWords(name, message), ...(candidates && { candidates }) };
}

/** Sentences for what browsers say in their own words. */
function inWords(name: string, message: string): string {
  if (name === 'NotReadableError') return 'The file changed or was moved while it was read. Choose it again.';
  if (
    /out of memory|Array buffer allocation|Invalid (typed )?array length|could not allocate|memory access|GiB of memory/i.test(
      message,
    )
  )
    return `There is not enough memory for this: ${message}. Try fewer rows, or fewer columns.`;
  return message;
}
