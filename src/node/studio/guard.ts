import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What becomes of a request: it is served, sent on with a cookie, or refused. */
type Verdict =
  | { readonly kind: 'serve' }
  | { readonly kind: 'enter'; readonly cookie: string }
  | { readonly kind: 'refuse'; readonly status: number; readonly why: string };

/**
 * Who may speak to the studio's server. The server listens on this machine alone, but every page that the
 * browser has open, and every program here, can reach it. So a request must
 *
 * - be addressed to this machine by name (`Host`): a stranger's name that was bound to 127.0.0.1 is not;
 * - come from the studio's own page, where the browser says whence it comes (`Origin`, `Sec-Fetch-Site`);
 * - read, and nothing else;
 * - have the cookie that the address printed in the terminal was exchanged for. That address works once.
 */
export class Guard {
  readonly token = secret();
  readonly #session = secret();
  readonly #port: number;
  #used = false;

  constructor(port: number) {
    this.#port = port;
  }

  judge({ method, headers, url = '/' }: Pick<IncomingMessage, 'method' | 'headers' | 'url'>): Verdict {
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'The studio is only read from.');
    const { host, origin } = headers;
    if (!this.#hosts.includes(host ?? '')) return refuse(421, 'This is not the address of the studio.');
    if (origin !== undefined && origin !== `http://${host}`)
      return refuse(403, 'Other pages cannot read the studio.');
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      return refuse(403, 'Other pages cannot read the studio.');
    if (this.#hasCookie(headers.cookie)) return { kind: 'serve' };
    const token = new URL(url, 'http://studio').searchParams.get('token');
    if (token === null)
      return refuse(403, 'Open the address that the terminal shows: it holds the key to this studio.');
    if (!same(token, this.token)) return refuse(403, 'This is not the key of this studio.');
    if (this.#used)
      return refuse(403, 'This address was opened before, and works once. Start pcae studio again.');
    this.#used = true;
    const cookie = `${this.#name}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
    return { kind: 'enter', cookie };
  }

  get #hosts(): readonly string[] {
    return [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
  }

  /** Cookies belong to a machine, not to a port: each studio has one of its own. */
  get #name(): string {
    return `pcae-studio-${this.#port}`;
  }

  #hasCookie(cookies = ''): boolean {
    return cookies.split(/;\s*/).some((pair) => {
      const at = pair.indexOf('=');
      return pair.slice(0, at) === this.#name && same(pair.slice(at + 1), this.#session);
    });
  }
}

function refuse(status: number, why: string): Verdict {
  return { kind: 'refuse', status, why };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compared in a time that says nothing about where they differ. */
function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
