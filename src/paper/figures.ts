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
