import { randomUUID } from 'node:crypto';
import { type ConnectionOptions, type Job, Queue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { z } from 'zod';
import { taskSchema } from '../task.ts';
import type { Board, Heard, Held, News, Notice, Posted } from './board.ts';
import { LEASE_SECONDS } from './board.ts';

/**
 * A board on Redis, by BullMQ: its jobs are the tasks, under their own names, and its locks are the leases.
 * Word of what is done is a short stream beside it, so that nothing has to be kept of jobs that are over:
 * Redis stays as small as what is open. Tasks of an owner are in a queue of its own, the others in one for
 * all, where they go to whoever asks first.
 */
export async function bullmqBoard(
  address: string,
  options: { readonly leaseSeconds?: number; readonly tls?: RedisOptions['tls'] } = {},
): Promise<Board> {
  const lease = 1000 * (options.leaseSeconds ?? LEASE_SECONDS);
  const shared = { ...(options.tls && { tls: options.tls }), maxRetriesPerRequest: null } as const;
  const name = await welcomed(address, shared);
  const redis = new Redis(address, shared);
  // Redis that is away comes back: whoever waits for it waits on.
  redis.on('error', () => undefined);
  const connection = redis as unknown as ConnectionOptions;
  const queues = new Map<string, Queue>();
  const queueOf = (owner?: string): Queue => {
    const name = queueName(owner);
    const queue =
      queues.get(name) ??
      new Queue(name, { connection, prefix: PREFIX, streams: { events: { maxLen: EVENTS_KEPT } } });
    if (!queues.has(name)) queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };
  const workers = new Map<string, Promise<Worker>>();
  /** Where tasks are that were put up here, by their name. */
  const places = new Map<string, Queue[]>();
  let readUpTo = '0';

  const workerOf = (name: string): Promise<Worker> => {
    const worker = workers.get(name) ?? openWorker(name);
    workers.set(name, worker);
    return worker;
  };
  const openWorker = async (name: string): Promise<Worker> => {
    const opened = new Worker(name, null, {
      ...{ connection, prefix: PREFIX, autorun: false, lockDuration: lease },
      ...{ stalledInterval: lease / 2, maxStalledCount: Number.MAX_SAFE_INTEGER, drainDelay: 1 },
    });
    opened.on('error', () => undefined);
    await opened.startStalledCheckTimer();
    return opened;
  };
  const say = (news: News) => redis.xadd(NEWS, 'MAXLEN', '~', EVENTS_KEPT, '*', 'news', JSON.stringify(news));

  const hold = (job: Job, token: string, name: string): Held => {
    const { id } = job as { id: string };
    const alive = setInterval(() => {
      job.extendLock(token, lease).catch(() => undefined);
    }, lease / 3);
    // A lock that was lost belongs to somebody else now, who will end the job.
    const end = async (how: () => Promise<unknown>) => {
      clearInterval(alive);
      await how().catch((error: Error) => {
        if (!/lock|Missing key|not in the active/i.test(error.message)) throw error;
      });
    };
    return {
      id,
      task: taskSchema.parse(job.data),
      async done() {
        await say({ id, kind: 'done' });
        await end(() => job.moveToCompleted(null, token, false));
      },
      async failed(why) {
        await say({ id, kind: 'failed', worker: name, why });
        await end(() => job.moveToWait(token));
      },
      release: () => end(() => job.moveToWait(token)),
    };
  };

  const post = async (tasks: readonly Posted[]) => {
    const jobOptions = { removeOnComplete: true, removeOnFail: true, sizeLimit: SIZE_LIMIT };
    for (const owner of new Set(tasks.map((one) => one.owner))) {
      const queue = queueOf(owner);
      const its = tasks.filter((one) => one.owner === owner);
      for (const { id } of its) places.set(id, [...new Set([...(places.get(id) ?? []), queue])]);
      for (let start = 0; start < its.length; start += AT_ONCE) {
        await queue.addBulk(
          its.slice(start, start + AT_ONCE).map(({ id, task }) => ({
            ...{ name: task.kind, data: task, opts: { ...jobOptions, jobId: id } },
          })),
        );
      }
    }
  };

  return {
    name,
    lease: lease / 1000,
    post,
    async free(tasks) {
      await post(tasks.map(({ id, task }) => ({ id, task })));
      // Nobody reads the queue of an owner that is gone. One that wakes up has its task in hand all the same.
      for (const owner of new Set(tasks.map((one) => one.owner)))
        if (owner !== undefined)
          await queueOf(owner)
            .obliterate({ force: true })
            .catch(() => undefined);
    },
    async withdraw(ids) {
      // What somebody is at cannot be taken away; it will find its answer there, and end.
      for (const id of ids) {
        for (const queue of places.get(id) ?? []) await queue.remove(id).catch(() => undefined);
        places.delete(id);
      }
    },
    async take(name) {
      for (const owner of [name, undefined]) {
        const token = randomUUID();
        const job = await (await workerOf(queueName(owner))).getNextJob(token, { block: false });
        if (job) return hold(job, token, name);
      }
      return undefined;
    },
    async news() {
      const found = await redis.xrange(NEWS, readUpTo === '0' ? '-' : `(${readUpTo}`, '+');
      if (found.length > 0) readUpTo = found[found.length - 1][0];
      return found.map(([, [, text]]) => newsSchema.parse(JSON.parse(text)));
    },
    async open() {
      const known = [...(await redis.hkeys(NOTICES)), undefined].map(queueOf);
      const counts = await Promise.all(known.map((queue) => queue.getJobCounts('wait', 'active')));
      return {
        waiting: counts.reduce((sum, { wait = 0 }) => sum + wait, 0),
        held: counts.reduce((sum, { active = 0 }) => sum + active, 0),
      };
    },
    async tell(notice) {
      await redis
        .multi()
        .hset(NOTICES, notice.name, JSON.stringify({ at: Date.now(), notice }))
        .expire(NOTICES, 3600)
        .exec();
    },
    async notices() {
      const told: Heard[] = [];
      for (const [name, text] of Object.entries(await redis.hgetall(NOTICES))) {
        const { at, notice } = JSON.parse(text) as { at: number; notice: Notice };
        const ago = (Date.now() - at) / 1000;
        if (1000 * ago < NOTICE_MS) told.push({ ...notice, ago });
        else await redis.hdel(NOTICES, name);
      }
      return told.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async close() {
      for (const [name, worker] of workers) {
        await (await worker).close(true);
        // Queues of workers that leave leave nothing behind.
        if (name !== QUEUE) await new Queue(name, { connection, prefix: PREFIX }).obliterate({ force: true });
      }
      for (const queue of queues.values()) await queue.close();
      redis.disconnect();
    },
  };
}

/**
 * Redis that is away is waited for. One that refuses this user, or that this machine does not trust, is an
 * error at once. Gives what to call it.
 */
async function welcomed(address: string, shared: RedisOptions): Promise<string> {
  const probe = new Redis(address, { ...shared, lazyConnect: true, retryStrategy: () => null });
  const { path, host, port } = probe.options;
  const name = `redis://${path ?? `${host}:${port}`}`;
  let refused: Error | undefined;
  probe.on('error', (error: Error) => {
    refused ??= error;
  });
  try {
    await probe.connect();
    await probe.xlen(NEWS);
  } catch (error) {
    const { message, code } = (refused ?? error) as NodeJS.ErrnoException;
    if (!AWAY.includes(code ?? '') && !/closed|LOADING/.test(message))
      throw new Error(`the queue ${name} refused the connection: ${message}`);
  } finally {
    probe.disconnect();
  }
  return name;
}

const AWAY = [
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
];

const PREFIX = 'pcae';
const QUEUE = 'tasks';
/** A worker's own queue: BullMQ wants names without colons. */
function queueName(owner?: string): string {
  return owner === undefined ? QUEUE : `${QUEUE}-${encodeURIComponent(owner)}`;
}
const NEWS = `${PREFIX}:news`;
const NOTICES = `${PREFIX}:notices`;
/**
 * Entries kept of our stream of news and of each of BullMQ's own: coordinators that lag behind look into the
 * store.
 */
const EVENTS_KEPT = 1000;
const NOTICE_MS = 60_000;
/** Jobs hold names and small numbers only. */
const SIZE_LIMIT = 64 * 1024;
const AT_ONCE = 1000;

const newsSchema = z.discriminatedUnion('kind', [
  z.object({ id: z.string(), kind: z.literal('done') }),
  z.object({ id: z.string(), kind: z.literal('failed'), worker: z.string(), why: z.string() }),
]);
