/** A number for people: four significant digits, separated thousands, powers of ten only far from 1. */
export function formatNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (!(size >= 1e-4 && size < 1e7)) return value.toExponential(2).replace(/\.?0+e\+?/, 'e');
  const digits = size >= 1000 ? Math.round(value).toString() : String(Number(value.toPrecision(4)));
  return digits.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** A loss beside a picture: one decimal, and two significant digits below 0.1. */
export function formatLoss(loss: number): string {
  return loss < 0.1 ? formatNumber(Number(loss.toPrecision(2))) : loss.toFixed(1);
}

/** A share between 0 and 1 as a percentage. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1%';
  if (percent < 100 && percent > 99.9) return '> 99.9%';
  return `${Number(percent.toFixed(1))}%`;
}
