/** What every answer of the studio's server says to the browser. */
export const HEADERS: Readonly<Record<string, string>> = {
  // Nothing from elsewhere, nothing made of text; WebAssembly and the threads' own program are all that the
  // page adds.
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // Threads share memory, which only an isolated page may.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Files of the page whose names hold a checksum of their contents, which browsers may keep. */
export const LASTING = 'private, max-age=31536000, immutable';
