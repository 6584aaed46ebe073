#!/usr/bin/env node
import * as accountUseCases from './account/use-cases.ts';
import { processTerminal } from './print/terminal.ts';
// The entry of the zone53 command: `node cli/main.ts` in a checkout, `dist/cli/main.js` in a package, both behind
// bin/zone53.mjs. It ends by running out of work, never by process.exit, so that all output is written.
import { runProgram } from './program.ts';
import { endWithParent } from './run/end-with-parent.ts';
import * as useCases from './run/use-cases.ts';
import { keepHeapSmall } from './small-heap.ts';

keepHeapSmall();
endWithParent();
process.exitCode = await runProgram(process.argv.slice(2), processTerminal(), { ...useCases, ...accountUseCases });
