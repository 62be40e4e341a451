import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
import { begin } from './page/begin.ts';
import { isolate } from './page/isolate.ts';

// Threads first: the page may have to be loaded once more for them.
if ((await isolate()) !== 'reloading') {
  const target = document.getElementById('studio')!;
  target.replaceChildren();
  mount(App, { target });
  void begin();
}
