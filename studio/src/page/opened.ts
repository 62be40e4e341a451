export interface Opened {
  readonly files: readonly File[];
  /** The names of those that can no longer be read. */
  readonly lost: readonly string[];
}

/**
 * Files that `pcae studio FILE` was given. A static host has none: it answers with a page of its own or with
 * 404, and only a served page says in its address bar that it may have some.
 */
export async function openedByServer(): Promise<Opened> {
  const names = await listed().catch(() => []);
  const found = await Promise.all(
    names.map(async (name, k) => {
      const answer = await fetch(`./opened/${k}`).catch(() => undefined);
      const data = answer?.ok ? await answer.blob().catch(() => undefined) : undefined;
      return data && new File([data], name);
    }),
  );
  return { files: found.filter((file) => file !== undefined), lost: names.filter((_, k) => !found[k]) };
}

async function listed(): Promise<string[]> {
  const answer = await fetch('./opened', { headers: { Accept: 'application/json' } });
  if (!answer.ok || !answer.headers.get('Content-Type')?.startsWith('application/json')) return [];
  return ((await answer.json()) as readonly { readonly name: string }[]).map(({ name }) => name);
}
