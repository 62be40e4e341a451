import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseXml } from '../../test/figures/xml.ts';
import { FIGURES, figuresMarkdown } from '../src/figures.ts';
import { fakeData } from './fake-data.ts';
import { paper } from './helpers.ts';

const { data, at } = fakeData();
const out = at('figures');

describe('paper fig', () => {
  it('draws every figure, well-formed, and keeps the numbers behind it', async () => {
    writeFileSync(at('README.md'), '<!-- figures -->\n<!-- /figures -->\n');
    const argv = ['fig', 'all', '--data', data, '--out', out, '--epochs', '1', '--json'];
    const ran = await paper([...argv, '--readme', at('README.md')]);
    expect(ran.code, ran.err).toBe(0);
    const written = readdirSync(out).filter((name) => name.endsWith('.svg'));
    expect(written).toHaveLength(13);
    for (const name of written) {
      const { names } = parseXml(readFileSync(`${out}/${name}`, 'utf8').replace(/<style>.*?<\/style>/s, ''));
      expect(names).toContain('title');
    }
    const readme = readFileSync(at('README.md'), 'utf8');
    for (const name of written) expect(readme).toContain(`](figures/${name})`);
    const facts = JSON.parse(readFileSync(`${out}/figures.json`, 'utf8'));
    expect(Object.keys(facts)).toEqual(Object.keys(ran.json().figures));
    expect(facts['reconstructions-mnist'].losses[12].pcae).toBeGreaterThan(0);
    expect((await paper(argv)).json().files).toEqual([]);
    const folds = parseXml(readFileSync(`${out}/reconstructions-notmnist.svg`, 'utf8')).texts;
    expect(folds).toContain('notMNIST, fold 1 of 10: test pictures and their reconstructions');
    expect(folds.join('\n')).toMatch(/Mean test loss in nats\. PC-AE: from \d+ rows\./);
  });

  it('shows that slack and loss agree on the rows of B, and only there', () => {
    const { slack } = JSON.parse(readFileSync(`${out}/figures.json`, 'utf8'));
    expect(slack.ownRows.farthestApart).toBeLessThan(1e-3);
    expect(slack.otherRows.farthestApart).toBeGreaterThan(slack.ownRows.farthestApart);
  });
});

describe('the list of figures', () => {
  it('shows what has not been drawn as not run', () => {
    const text = figuresMarkdown({ map: { pictures: ['map-pcae'] } }, 'results');
    expect(text).toContain('](results/map-pcae.svg)');
    expect(text.match(/Not run/g)).toHaveLength(Object.keys(FIGURES).length - 1);
  });
});
