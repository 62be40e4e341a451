/**
 * Threads need a page that is isolated from others, which its server has to say. Where it does not, a service
 * worker can say it instead. The page is reloaded once for it; where that does not help, one thread does the
 * same work.
 */
export async function isolate(): Promise<'isolated' | 'reloading' | 'alone'> {
  if (globalThis.crossOriginIsolated) return 'isolated';
  if (!globalThis.isSecureContext || !('serviceWorker' in navigator)) return 'alone';
  try {
    if (sessionStorage.getItem(TRIED)) return 'alone';
    sessionStorage.setItem(TRIED, '1');
    await navigator.serviceWorker.register('./isolate.js');
    await Promise.race([navigator.serviceWorker.ready, new Promise((_, fail) => setTimeout(fail, 3000))]);
  } catch {
    return 'alone';
  }
  location.reload();
  return 'reloading';
}

/** Set for as long as the tab lives: a second reload would not help where the first did not. */
const TRIED = 'pc-ae-studio-isolate';
