// The command itself, loaded by main.ts. It never calls process.exit, so that all output is written before the process
// ends.
import * as accountUseCases from './account/use-cases.ts';
import * as consoleUseCases from './console/use-cases.ts';
import { endWithParent } from './end-with-parent.ts';
import { processTerminal } from './print/terminal.ts';
import { runProgram } from './program.ts';
import * as useCases from './run/use-cases.ts';

endWithParent();
// Node also ends a process in which nothing is left to wait for: one that never came to its end has failed.
process.exitCode = 1;
runProgram(process.argv.slice(2), processTerminal(), { ...useCases, ...accountUseCases, ...consoleUseCases }).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
);
