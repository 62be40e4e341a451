/** The state of the page that a link carries: the view, what is chosen, and the view's own choices. */
export const VIEWS = ['data', 'learn', 'look', 'map', 'play', 'find', 'take'] as const;
export type View = (typeof VIEWS)[number];

export interface Address {
  readonly view: View;
  readonly choices: Readonly<Record<string, string>>;
}

export function readAddress(hash: string): Address {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const view = VIEWS.find((name) => name === path) ?? 'learn';
  return { view, choices: Object.fromEntries(new URLSearchParams(query)) };
}

export function writeAddress({ view, choices }: Address): string {
  const given = Object.entries(choices).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query && `?${query}`}`;
}
