#!/usr/bin/env node
// The entry of the zone53 command: `node cli/main.ts` in a checkout, `dist/cli/main.js` in a package, both behind
// bin/zone53.mjs. It says how V8 is to work, and loads the rest only then: code that was compiled under other flags is
// not used.
import { keepHeapSmall, YOUNG_MIB } from '../lib/adapters/system/small-heap.ts';
import { keepCompiled } from './compile-cache.ts';
import { compileOnce } from './one-compiler.ts';

compileOnce();
keepHeapSmall(YOUNG_MIB);
keepCompiled();
await import('./start.ts');
