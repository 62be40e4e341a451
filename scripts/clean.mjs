// Nothing that an earlier build left in dist is part of the package.
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
