import type { Crew } from '../complete.ts';
import { type Answer, type Task, taskId } from '../task.ts';

/**
 * A task of the coordinator's own: like those of workers it has one answer, which is kept, so that a run that
 * is started again does not do it again. Where two coordinators are at the same run, one may have removed
 * what the other reads: it then has answered before, and its answer counts.
 */
export async function coordinated(
  task: Task,
  { store }: Crew,
  make: () => Promise<Readonly<Record<string, Uint8Array>>>,
): Promise<Answer> {
  const id = taskId(task);
  const before = await store.answer(id);
  if (before) return before;
  const began = performance.now();
  const outputs: Record<string, string> = {};
  try {
    for (const [name, bytes] of Object.entries(await make())) outputs[name] = await store.put(bytes);
  } catch (error) {
    const other = await store.answer(id);
    if (other) return other;
    throw error;
  }
  const seconds = (performance.now() - began) / 1000;
  const answer: Answer = { task: id, worker: 'the coordinator', outputs, seconds };
  await store.offer(answer);
  return answer;
}
