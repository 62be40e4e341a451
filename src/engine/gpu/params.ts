/** The few numbers that a dispatch is told: a struct in WGSL, and how it is filled. */
export type Fields = Readonly<Record<string, 'u32' | 'f32'>>;
export type Values<F extends Fields> = { readonly [Name in keyof F]: number };

/** The declaration of `params`, in a group of its own. */
export function declareParams(fields: Fields): string {
  const lines = Object.entries(fields).map(([name, type]) => `  ${name}: ${type},`);
  return `struct Params {\n${lines.join('\n')}\n}\n@group(1) @binding(0) var<uniform> params: Params;\n`;
}

export function writeParams<F extends Fields>(
  view: DataView,
  at: number,
  fields: F,
  values: Values<F>,
): void {
  let offset = at;
  for (const [name, type] of Object.entries(fields)) {
    if (type === 'u32') view.setUint32(offset, values[name], true);
    else view.setFloat32(offset, values[name], true);
    offset += 4;
  }
}

/** Bytes between the parameters of two dispatches: what every adapter can start a binding at. */
export const PARAMS_BYTES = 256;
