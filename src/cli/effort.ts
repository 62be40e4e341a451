import { Option } from 'commander';

/** How hard to search for codes of true bits; codes of other kinds are optimal as they are. */
export const effortOption = () =>
  new Option(
    '--effort <level>',
    'codes of bits: how hard to search; exhaustive tries all codes, up to 16 bits',
  )
    .choices(['fast', 'default', 'thorough', 'exhaustive'])
    .default('default');
