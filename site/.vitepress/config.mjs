import { katex } from '@mdit/plugin-katex';
import { defineConfig } from 'vitepress';
import { sections, slug } from '../map.mjs';
import { liveCode } from './live-code.mjs';

const shown = sections();
const items = (names) =>
  shown
    .filter(({ text }) => names.includes(text))
    .map(({ text, pages }) => ({
      text,
      collapsed: text === 'Notes',
      items: [
        ...pages.map(({ title, path }) => ({ text: title, link: linkOf(path) })),
        ...(text === 'Reference' ? [{ text: 'Library', link: '/api/' }] : []),
      ],
    }));
const linkOf = (path) => `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;

export default defineConfig({
  title: 'PC-AE',
  description: 'Binary autoencoding with a guarantee: short codes for rows of bits, each with a proof',
  base: process.env.SITE_BASE ?? '/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env.SITE_BASE ?? '/'}icon.svg` }]],
  srcDir: 'pages',
  outDir: 'dist',
  cleanUrls: true,
  markdown: {
    html: false,
    anchor: { slugify: slug },
    math: false,
    config(md) {
      md.use(katex);
      md.use(liveCode);
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/guides/' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Reference', link: '/reference' },
      { text: 'Benchmarks', link: '/benchmarks' },
      { text: 'Paper', link: '/paper' },
      { text: 'Design', link: '/architecture' },
    ],
    sidebar: items(shown.map(({ text }) => text)),
    footer: { message: 'Apache-2.0. Everything on these pages is computed in your browser.' },
  },
  vite: { build: { chunkSizeWarningLimit: 3000, reportCompressedSize: false } },
});
