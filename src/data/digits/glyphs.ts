/**
 * How people write the ten digits: for each, several ways, each a list of pen strokes.
 *
 * A stroke is the list of points that the pen passes, in a box from 0 0 at the top left to 100 100 at the
 * bottom right. The pen moves smoothly through them; it turns sharply at a point that is marked with `!`.
 */
export const GLYPHS: readonly (readonly Glyph[])[] = [
  [
    glyph('57 1, 24 12, 7 45, 15 80, 45 99, 78 88, 94 52, 84 15, 52 1, 40 4'),
    glyph('66 7, 35 4, 10 32, 8 70, 35 98, 72 92, 93 58, 88 20, 62 3, 45 14'),
    glyph('40 3, 14 28, 10 68, 36 97, 70 94, 92 62, 86 22, 58 2, 34 10'),
  ],
  [
    glyph('52 0, 51 50, 49 100'),
    glyph('50 0, 50 48, 50 100'),
    glyph('22 26, 42 14, 56 0!, 55 50, 54 100'),
    glyph('26 22, 52 0!, 52 50, 52 100', '22 100, 52 99, 84 100'),
  ],
  [
    glyph('9 24, 26 5, 58 1, 82 18, 78 42, 46 70, 6 99!, 50 96, 95 98'),
    glyph('12 20, 38 1, 72 6, 82 30, 62 60, 34 86, 12 97, 5 84, 24 76, 54 90, 96 92'),
    glyph('14 30, 24 8, 54 0, 80 16, 74 46, 40 78, 12 98!, 40 90, 66 97, 94 88'),
  ],
  [
    glyph('10 12, 42 0, 78 12, 76 36, 40 47!, 78 55, 90 78, 62 98, 26 99, 6 86'),
    glyph('12 4, 48 3, 84 2!, 62 22, 42 42!, 74 50, 90 74, 66 97, 30 99, 8 88'),
    glyph('8 16, 40 1, 76 14, 66 38, 40 46, 34 51, 44 50, 78 58, 86 84, 50 100, 8 90'),
  ],
  [
    glyph('24 2, 18 30, 9 56!, 50 55, 94 52', '74 8, 70 54, 66 100'),
    glyph('68 0, 36 34, 5 66!, 50 66, 96 64', '68 0, 67 50, 66 100'),
    glyph('18 4, 12 34, 24 53, 54 52, 80 36', '84 2, 78 50, 72 100'),
    glyph('22 0, 16 28, 8 50!, 46 50, 78 46!, 84 4!, 78 50, 74 100'),
  ],
  [
    glyph('24 3, 20 22, 17 43!, 48 37, 82 52, 84 80, 52 99, 10 92', '24 3, 54 3, 90 1'),
    glyph('86 2, 54 4, 26 4!, 22 24, 18 44!, 52 38, 84 56, 80 84, 46 100, 8 92'),
    glyph('84 4, 46 4, 24 20, 36 40, 70 52, 84 76, 56 98, 10 92'),
  ],
  [
    glyph('76 2, 40 20, 14 54, 16 86, 46 100, 82 86, 82 62, 52 52, 24 64, 14 80'),
    glyph('58 0, 32 28, 14 62, 22 92, 54 99, 82 80, 72 58, 42 58, 18 76'),
    glyph('88 8, 58 2, 26 24, 10 60, 24 94, 60 98, 84 78, 70 56, 36 60, 14 78'),
  ],
  [
    glyph('5 6, 48 6, 92 3!, 66 42, 50 70, 40 100'),
    glyph('7 22, 10 4!, 50 4, 90 5!, 70 38, 46 100'),
    glyph('6 6, 46 5, 92 4!, 64 46, 42 100', '28 52, 54 50, 82 49'),
    glyph('6 14, 32 4, 66 10, 86 6, 78 30, 60 60, 52 100'),
  ],
  [
    glyph('78 14, 48 0, 22 16, 36 40, 68 58, 82 80, 54 100, 20 86, 32 58, 66 38, 80 18, 70 8'),
    glyph(
      '52 0, 24 12, 28 38, 54 47, 78 32, 76 10, 48 1',
      '50 47, 20 62, 18 88, 50 100, 84 86, 80 60, 46 46',
    ),
    glyph('64 4, 34 4, 22 24, 50 46, 82 72, 64 98, 28 96, 20 72, 50 46, 78 24, 66 2'),
  ],
  [
    glyph('82 14, 52 0, 18 14, 18 38, 48 48, 76 34, 84 8!, 78 52, 70 100'),
    glyph('80 16, 46 1, 14 20, 28 46, 62 44, 82 16!, 84 58, 62 94, 22 96'),
    glyph('78 22, 60 2, 24 8, 16 34, 44 48, 76 26, 78 30, 68 60, 48 100'),
  ],
];

/** One way to write a digit. */
type Glyph = readonly GlyphStroke[];

export interface GlyphStroke {
  /** x and y of each point in turn, from 0 to 1. */
  readonly points: readonly number[];
  /** For each point, whether the pen turns sharply there. */
  readonly sharp: readonly boolean[];
}

function glyph(...strokes: string[]): Glyph {
  return strokes.map((stroke) => {
    const marks = stroke.split(',');
    const points = marks.flatMap((mark) => mark.replace('!', '').trim().split(' ').map(readPercent));
    return { points, sharp: marks.map((mark) => mark.includes('!')) };
  });
}

function readPercent(text: string): number {
  return Number(text) / 100;
}
