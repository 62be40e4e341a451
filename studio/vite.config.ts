import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The package loads its engine on use; the studio needs it at once, and so gets it in one piece.
const rolldownOptions = { checks: { ineffectiveDynamicImport: false, bundlerTimings: false } };

/** One set of files for `pcae studio` and for any static host: addresses are relative, nothing is inlined. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [svelte()],
  worker: { format: 'es', rolldownOptions },
  build: {
    outDir: '../dist/studio',
    emptyOutDir: true,
    target: 'es2022',
    // All styles are 6 kB gzipped: one file is sooner there than one for each part.
    cssCodeSplit: false,
    // A strict content policy allows no data: addresses for code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions,
  },
});
