import { type OpenOptions, optionsOfFlags } from 'pc-ae/formats';

/**
 * What was said about a table before, and one more answer: it adds to words and to columns left out, and
 * replaces all else.
 */
export function answered(before: OpenOptions, flags: string): OpenOptions {
  const said: OpenOptions = optionsOfFlags(flags);
  const { columns } = before;
  const more = /^all but (.*)$/s.exec(String(said.columns))?.[1];
  const out = typeof columns === 'string' && columns.startsWith('all but ') && more;
  return {
    ...{ ...before, ...said },
    ...(before.missing && said.missing && { missing: [before.missing, said.missing].flat() }),
    ...(out && { columns: `${columns},${more}` }),
  };
}
