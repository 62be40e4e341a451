import { mount } from 'svelte';
import App from './App.svelte';
import { begin } from './page/begin.ts';

/** Puts the page in place of what was there while it loaded. Its rows are asked for first. */
export function show(target: HTMLElement): void {
  void begin();
  target.replaceChildren();
  mount(App, { target });
}
