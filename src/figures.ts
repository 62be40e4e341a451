/**
 * `pc-ae/figures`: pictures of models and codes from plain arrays, as SVG, and self-contained HTML reports.
 *
 * @module pc-ae/figures
 */
export { type BitConfusionInput, bitConfusionFigure } from './figures/bit-confusion.ts';
export { type CodeHistogramInput, codeHistogramFigure } from './figures/code-histogram.ts';
export type { FigureOptions } from './figures/figure.ts';
export { type HSweepInput, hSweepFigure } from './figures/h-sweep.ts';
export { type HiddenUnitInput, hiddenUnitFigure } from './figures/hidden-units.ts';
export type { Series } from './figures/lines.ts';
export { type LossCurveInput, lossCurveFigure } from './figures/loss-curves.ts';
export { type Map2dInput, map2dFigure } from './figures/map-2d.ts';
export { formatLoss, formatNumber } from './figures/numbers.ts';
export { type ReconstructionInput, reconstructionFigure } from './figures/reconstructions.ts';
export { type SparsityInput, sparsityFigure } from './figures/sparsity.ts';
export type { ImageShape } from './figures/tiles.ts';
export { type ModelReportOptions, modelReport } from './report/model-report.ts';
export {
  type FigurePart,
  type Report,
  type ReportPart,
  report,
  type SummaryLine,
  type TablePart,
  type TextPart,
} from './report/report.ts';
