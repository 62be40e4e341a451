/**
 * Files that `pcae studio FILE` was given. A static host has none: it answers with a page of its own or with
 * 404, and only a served page says in its address bar that it may have some.
 */
export async function openedByServer(): Promise<File[]> {
  try {
    const answer = await fetch('./opened', { headers: { Accept: 'application/json' } });
    if (!answer.ok || !answer.headers.get('Content-Type')?.startsWith('application/json')) return [];
    const listed = (await answer.json()) as readonly { readonly name: string }[];
    return Promise.all(
      listed.map(async ({ name }, k) => {
        const file = await fetch(`./opened/${k}`);
        if (!file.ok) throw new Error(`${name} can no longer be read`);
        return new File([await file.blob()], name);
      }),
    );
  } catch {
    return [];
  }
}
