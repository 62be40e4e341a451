/**
 * The look of every figure. Colours hang on classes, so that one figure serves light and dark pages; a figure
 * paints its own ground, so that it stays legible where page and system disagree.
 *
 * The series colours are those of Okabe and Ito ("Color universal design", 2008), told apart by people with
 * any common colour blindness, darkened or lightened a little where the ground asks for it. In the place of
 * their second blue, which small marks do not tell from the first, there is a grey. Lines also differ in
 * their dashes and points in their shapes, so colour never stands alone.
 */
const LIGHT: Theme = {
  ground: '#ffffff',
  text: '#1f2328',
  muted: '#59636e',
  rule: '#e1e4e8',
  frame: '#8c959f',
  series: ['#0072b2', '#d55e00', '#00805d', '#b8548f', '#9a7400', '#1f2328', '#6a6f76'],
};

const DARK: Theme = {
  ground: '#15181d',
  text: '#e8eaed',
  muted: '#9aa4af',
  rule: '#2b3038',
  frame: '#69727d',
  series: ['#56a8e0', '#ef7d2e', '#22b98c', '#dd8fb9', '#e6b422', '#f2f4f7', '#a9b0b8'],
};

interface Theme {
  ground: string;
  text: string;
  muted: string;
  rule: string;
  frame: string;
  series: readonly string[];
}

/** Class of series k's colour. */
export function seriesClass(k: number): string {
  return `s${k % LIGHT.series.length}`;
}

/** Dashes of series k: solid first. */
export function seriesDash(k: number): string | undefined {
  return [undefined, '6 3', '2 3', '9 3 2 3'][k % 4];
}

/** The style element that every figure carries. */
export function figureStyle(): string {
  const shapes = [
    `${ROOT}{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;font-size:12px}`,
    `${ROOT} .title{font-size:15px;font-weight:600}`,
    `${ROOT} .line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}`,
    `${ROOT} .dot{fill:currentColor}`,
    `${ROOT} .ring{fill:none;stroke:currentColor;stroke-width:1.3}`,
    `${ROOT} .rule,${ROOT} .frame,${ROOT} .guide{fill:none;shape-rendering:crispEdges}`,
    `${ROOT} .guide{stroke-dasharray:3 3}`,
    `${ROOT} .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;font-weight:700}`,
    `${ROOT} .pixels{image-rendering:pixelated}`,
  ].join('');
  // Pictures are ink on paper; on a dark page they turn into chalk on slate.
  const slate = `${ROOT} .picture{filter:invert(1) hue-rotate(180deg)}`;
  return `<style>${shapes}${colours(LIGHT)}@media (prefers-color-scheme:dark){${colours(DARK)}${slate}}</style>`;
}

const ROOT = '.pcae-figure';

function colours(theme: Theme): string {
  const series = theme.series.map((colour, k) => `${ROOT} .s${k}{color:${colour}}`).join('');
  return [
    `${ROOT} .ground{fill:${theme.ground}}`,
    `${ROOT} .text{fill:${theme.text}}`,
    `${ROOT} .muted{fill:${theme.muted}}`,
    `${ROOT} .rule{stroke:${theme.rule}}`,
    `${ROOT} .frame,${ROOT} .guide{stroke:${theme.frame}}`,
    `${ROOT} .halo{stroke:${theme.ground}}`,
    series,
  ].join('');
}
