import './style.css';
import { startAhead } from './page/ahead.ts';
import { isolate } from './page/isolate.ts';

// Threads first: the page may have to be loaded once more for them. Workers next: they load while the page
// does.
if ((await isolate()) !== 'reloading') {
  startAhead();
  const { show } = await import('./show.ts');
  show(document.getElementById('studio')!);
}
