import { join } from 'node:path';
import { defineConfig } from 'vite';
import { ROOT } from './map.mjs';

const PARTS = [
  'index',
  'baselines',
  'bits',
  'compress',
  'engine',
  'figures',
  'formats',
  'math',
  'rows',
  'vectors',
];

/** The library as modules for the browser: what the live examples import. */
export default defineConfig({
  root: ROOT,
  publicDir: false,
  build: {
    outDir: join(import.meta.dirname, 'pages/public/live'),
    target: 'es2022',
    reportCompressedSize: false,
    lib: {
      entry: Object.fromEntries(PARTS.map((name) => [name, join(ROOT, `dist/${name}.js`)])),
      formats: ['es'],
    },
    rollupOptions: { output: { chunkFileNames: 'part-[hash].js', entryFileNames: '[name].js' } },
  },
});
