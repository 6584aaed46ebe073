// The command itself, loaded by main.ts. It never calls process.exit, so that all output is written before the process
// ends.
import * as accountUseCases from './account/use-cases.ts';
import { endWithParent } from './end-with-parent.ts';
import { processTerminal } from './print/terminal.ts';
import { runProgram } from './program.ts';
import * as useCases from './run/use-cases.ts';

endWithParent();
process.exitCode = await runProgram(process.argv.slice(2), processTerminal(), { ...useCases, ...accountUseCases });
