import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
import { begin } from './page/begin.ts';
import { isolate } from './page/isolate.ts';

// Threads first: the page may have to be loaded once more for them.
if ((await isolate()) !== 'reloading') {
  mount(App, { target: document.getElementById('studio')! });
  void begin();
}
