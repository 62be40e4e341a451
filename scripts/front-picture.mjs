// Draws the picture of the front page: pictures of bits, the numbers that describe them, and what the numbers
// decode to. node scripts/front-picture.mjs docs/images/front.svg (after npm run build)
import { writeFile } from 'node:fs/promises';
import { encode as encodePng } from 'fast-png';
import { digits, fit } from 'pc-ae/node';
import { asRows, entry } from 'pc-ae/rows';

const [SIDE, V, H] = [28, 784, 16];
const STEP = 276 / H;
const { train, test } = digits({ train: 4000, test: 200 });
const model = await fit({ ...train, binarize: 'threshold' }, { H, epochs: 15 });
const rows = asRows({ ...test, binarize: 'threshold' });
const { codes, losses, gaps } = await model.encode(rows);
const decoded = await model.decode(codes);

// One example each of three digits that look different.
const shown = [3, 5, 8].map((digit) => test.labels.indexOf(digit));
const largest = Math.max(...shown.flatMap((i) => Array.from(codes.subarray(i * H, (i + 1) * H), Math.abs)));
const [left, height, tile] = [24, 132, 112];
const body = shown.map((i, k) => {
  const y = 44 + k * height;
  const code = codes.subarray(i * H, (i + 1) * H);
  return [
    picture(left, y, (v) => (1 + entry(rows, i, v)) / 2),
    arrow(left + tile + 14, y + tile / 2),
    bars(code, left + tile + 52, y),
    arrow(left + tile + 346, y + tile / 2),
    picture(left + tile + 384, y, (v) => (1 + decoded[i * V + v]) / 2),
    label(left + 2 * tile + 400, y + 48, `${losses[i].toFixed(1)} nats`, 'strong'),
    label(left + 2 * tile + 400, y + 68, `no code is better by`),
    label(left + 2 * tile + 400, y + 86, `more than ${(Math.ceil(1e4 * gaps[i]) / 1e4).toFixed(4)}`),
  ].join('');
});
const heads = [
  label(left, 28, '784 bits', 'strong'),
  label(left + tile + 52, 28, `${H} numbers: the code`, 'strong'),
  label(left + tile + 384, 28, 'decoded', 'strong'),
  label(left + 2 * tile + 400, 28, 'loss, with proof', 'strong'),
];
const size = { width: 810, height: 44 + 3 * height };
await writeFile(
  process.argv[2] ?? 'out/front.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}">` +
    `<title>Three digits of 784 bits, the ${H} numbers that describe each, and what the numbers decode to</title>${style()}` +
    `<rect class="ground" width="100%" height="100%" rx="8"/>${heads.join('')}${body.join('')}</svg>\n`,
);

/** A picture of 28 x 28 shares of ink. */
function picture(x, y, ink) {
  const data = Uint8Array.from({ length: V }, (_, v) => Math.round(255 * (1 - ink(v))));
  const png = encodePng({ width: SIDE, height: SIDE, data, channels: 1, depth: 8 });
  const href = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  const place = `x="${x}" y="${y}" width="${tile}" height="${tile}"`;
  return `<image class="ink" ${place} href="${href}"/><rect class="frame" ${place}/>`;
}

/** The code as bars scaled to the longest one shown. */
function bars(code, x, y) {
  const middle = y + tile / 2;
  const columns = Array.from(code, (e, h) => {
    const length = Math.max(1, (Math.abs(e / largest) * tile) / 2);
    const top = e > 0 ? middle - length : middle;
    return `<rect class="${e > 0 ? 'plus' : 'minus'}" x="${x + STEP * h}" y="${top.toFixed(1)}" width="${STEP - 5}" height="${length.toFixed(1)}"/>`;
  });
  return `${columns.join('')}<path class="frame" d="M${x - 4} ${middle}h${STEP * H + 4}"/>`;
}

function arrow(x, y) {
  return `<path class="arrow" d="M${x} ${y}h20m-7 -6l7 6l-7 6"/>`;
}

function label(x, y, words, kind = 'plain') {
  return `<text class="${kind}" x="${x}" y="${y}">${words}</text>`;
}

/** Ink on paper, and chalk on slate where the page is dark. */
function style() {
  return (
    '<style>text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}.strong{font-weight:600}.ink{image-rendering:pixelated}' +
    '.frame,.arrow{fill:none}.arrow{stroke-width:2}' +
    `${theme('#ffffff', '#1f2328', '#59636e', '#d0d7de', '#0072b2', '#d55e00')}` +
    `@media (prefers-color-scheme:dark){${theme('#15181d', '#e8eaed', '#9aa4af', '#3d444d', '#56a8e0', '#ef7d2e')}.ink{filter:invert(1)}}</style>`
  );
}

function theme(ground, strong, plain, frame, plus, minus) {
  return (
    `.ground{fill:${ground}}.strong{fill:${strong}}.plain{fill:${plain}}.frame{stroke:${frame}}.arrow{stroke:${plain}}` +
    `.plus{fill:${plus}}.minus{fill:${minus}}`
  );
}
