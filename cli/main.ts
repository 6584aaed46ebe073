#!/usr/bin/env node
// The entry of the zone53 command: `node cli/main.ts` in a checkout, `dist/cli/main.js` in the package; bin/zone53.mjs
// starts both. It sets the flags of V8 before it loads the rest, because V8 does not use code that was compiled under
// other flags. It awaits nothing, because the executable of one file is CommonJS (release/build-executable.ts).
import { keepHeapSmall, YOUNG_MIB } from '../lib/adapters/system/small-heap.ts';
import { keepCompiled } from './compile-cache.ts';
import { compileOnce } from './one-compiler.ts';

compileOnce();
keepHeapSmall(YOUNG_MIB);
keepCompiled();
import('./start.ts');
