import { map } from './fig-map.ts';
import { reconstructions } from './fig-reconstructions.ts';
import { slack } from './fig-slack.ts';
import { unitsLarge, unitsSmall } from './fig-units.ts';
import type { PaperFigure } from './figure.ts';

/** Every figure by the name that the command line calls it. */
export const FIGURES: Readonly<Record<string, PaperFigure>> = {
  slack,
  'units-mnist': unitsSmall,
  'units-omniglot': unitsLarge,
  map,
  'reconstructions-mnist': reconstructions('mnist'),
  'reconstructions-omniglot': reconstructions('omniglot'),
  'reconstructions-caltech101': reconstructions('caltech101'),
  'reconstructions-notmnist': reconstructions('notmnist'),
};

/** What figures.json keeps of each figure. */
interface KeptFigure {
  /** File names, without their ending. */
  readonly pictures: readonly string[];
}

/** Every figure that has been drawn, in Markdown; `folder` is where the pictures are, seen from the page. */
export function figuresMarkdown(kept: Readonly<Record<string, unknown>>, folder: string): string {
  return Object.entries(FIGURES)
    .map(([name, { about }]) => {
      const found = kept[name] as KeptFigure | undefined;
      const title = `### \`${name}\`\n\n${about[0].toUpperCase()}${about.slice(1)}.\n`;
      const pictures = found?.pictures.map((file) => `![${about}](${folder}/${file}.svg)\n`);
      return `${title}\n${pictures?.join('\n') ?? 'Not run.\n'}`;
    })
    .join('\n');
}
