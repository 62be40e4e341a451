// Where every page of the site comes from, and where it stands in the navigation. Pages live in docs/ and
// read well on a code host; the site only arranges them. A page of docs/ that is not named here is found and
// put at the end of its section.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

const SECTIONS = [
  ['Start', ['docs/start.md', 'docs/studio.md', 'docs/questions.md', 'docs/gallery.md', 'docs/compared.md']],
  [
    'Guides',
    [
      'docs/guides/README.md',
      'docs/guides/survey.md',
      'docs/guides/species.md',
      'docs/guides/baskets.md',
      'docs/guides/single-cells.md',
      'docs/guides/genotypes.md',
      'docs/guides/fingerprints.md',
      'docs/guides/images.md',
      'docs/guides/vector-search.md',
      'docs/search.md',
      'docs/guides/reshaping.md',
      'docs/compression.md',
      'docs/guides/browser.md',
      'docs/guides/services.md',
      'docs/python.md',
      'docs/guides/onnx.md',
      'docs/gpu.md',
      'docs/cluster.md',
    ],
    'docs/guides',
  ],
  [
    'Concepts',
    [
      'docs/concepts.md',
      'docs/concepts/codes.md',
      'docs/concepts/certificates.md',
      'docs/promises.md',
      'docs/concepts/choosing-h.md',
      'docs/bits.md',
      'docs/mathematics.md',
    ],
    'docs/concepts',
  ],
  ['Reference', ['docs/reference.md', 'docs/cli.md', 'docs/formats.md', 'docs/extensions.md']],
  ['Benchmarks', ['bench/README.md', 'docs/baselines.md']],
  ['The paper', ['paper/README.md']],
  [
    'Design',
    ['docs/architecture.md', 'docs/engine.md', 'docs/solvers.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    'docs',
  ],
  ['Notes', [], 'docs/notes'],
];

/** Short names for the navigation, where the heading of a page is long. */
const TITLES = {
  'docs/guides/README.md': 'Overview',
  'docs/guides/survey.md': 'Surveys',
  'docs/guides/species.md': 'Species and presence',
  'docs/guides/baskets.md': 'Baskets and events',
  'docs/guides/fingerprints.md': 'Fingerprints',
  'docs/guides/images.md': 'Pictures',
  'docs/guides/vector-search.md': 'Embeddings',
  'docs/search.md': 'Searching codes',
  'docs/compression.md': 'Lossless compression',
  'docs/python.md': 'In Python',
  'docs/concepts.md': 'Overview',
  'docs/promises.md': 'Promises',
  'docs/bits.md': 'True bits',
  'docs/mathematics.md': 'Mathematics',
  'docs/reference.md': 'Overview',
  'docs/cli.md': 'Command line',
  'docs/formats.md': 'File formats',
  'docs/baselines.md': 'Baselines',
  'docs/architecture.md': 'Architecture',
  'docs/engine.md': 'Engine',
  'docs/solvers.md': 'Solvers',
  'docs/gpu.md': 'On a graphics card',
  'docs/cluster.md': 'On many machines',
  'paper/README.md': 'Results',
};

const ELSEWHERE = {
  'bench/README.md': 'benchmarks.md',
  'paper/README.md': 'paper.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
};

/** Sections of the navigation: `{ text, pages: [{ source, path, title }] }`. */
export function sections() {
  const named = new Set(SECTIONS.flatMap(([, sources]) => sources));
  return SECTIONS.map(([text, sources, folder]) => {
    const found = folder ? markdownIn(folder).filter((source) => !named.has(source)) : [];
    const pages = [...sources, ...found].filter((source) => existsSync(join(ROOT, source)));
    return {
      text,
      pages: pages.map((source) => ({
        source,
        path: pathOf(source),
        title: TITLES[source] ?? titleOf(source),
      })),
    };
  }).filter(({ pages }) => pages.length > 0);
}

function markdownIn(folder) {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

function pathOf(source) {
  return ELSEWHERE[source] ?? source.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

/** The heading of a page, without its mark-up and what follows a colon. */
function titleOf(source) {
  const heading = /^# (.*)$/m.exec(readFileSync(join(ROOT, source), 'utf8'))?.[1] ?? source;
  return heading.replace(/[`*_]/g, '').replace(/^([^:]{4,}):.*$/, '$1');
}

/** The address of a heading, as code hosts make it. */
export function slug(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
