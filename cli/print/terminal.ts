// Where the command writes and asks: results to standard output, everything else to standard error. A reader that goes
// away early (`| head`) is not an error. Given as a value, so that tests can be the terminal.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { colourPaint, type Paint, plainPaint, wantsColour } from './terminal-text.ts';
import { wrapText } from './wrap-text.ts';

export type Terminal = {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly paint: Paint;
  readonly paintError: Paint;
  /** Breaks the lines of a text for people at the width of standard output; a pipe or a file gets it unchanged. */
  readonly fit: (text: string) => string;
  readonly fitError: (text: string) => string;
  /** True when standard output is a terminal, so that it is read together with standard error. */
  readonly isTerminal: boolean;
  /** The columns of standard error; null if it is no terminal, or does not say. */
  readonly columns: () => number | null;
  /** True when standard error is a terminal: progress may be drawn there. */
  readonly showsProgress: boolean;
  /** Asks on standard error; null when nobody is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Shows a text that may be long: on a terminal through a pager. Absent: as `write`. */
  readonly page?: (text: string) => Promise<void>;
  /** Aborted on the first Ctrl-C or TERM; the second ends the process. For commands that run until stopped. */
  readonly untilStopped: () => AbortSignal;
};

/** The process's own terminal. Call once. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const open = { stdout: true, stderr: true };
  const onError = (stream: keyof typeof open) => (error: NodeJS.ErrnoException) => {
    open[stream] = false;
    if (error.code === 'EPIPE' || stream === 'stderr') return;
    if (open.stderr) stderr.write(`error: Cannot write the result: ${error.message}\n`);
    process.exit(1);
  };
  stdout.on('error', onError('stdout'));
  stderr.on('error', onError('stderr'));
  const columnsOf = ({ isTTY, columns }: NodeJS.WriteStream) => (isTTY === true && columns > 0 ? columns : null);
  return {
    fit: (text) => wrapText(text, columnsOf(stdout)),
    fitError: (text) => wrapText(text, columnsOf(stderr)),
    isTerminal: stdout.isTTY === true,
    columns: () => columnsOf(stderr),
    write: (text) => {
      if (open.stdout) stdout.write(text);
    },
    writeError: (text) => {
      if (open.stderr) stderr.write(text);
    },
    paint: wantsColour(stdout.isTTY === true, process.env) ? colourPaint : plainPaint,
    paintError: wantsColour(stderr.isTTY === true, process.env) ? colourPaint : plainPaint,
    showsProgress: stderr.isTTY === true && process.env.TERM !== 'dumb',
    ...(stdout.isTTY === true && { page: (text: string) => throughPager(text) }),
    ask: stdin.isTTY === true && stderr.isTTY === true ? askPerson : null,
    untilStopped,
  };
}

/** Shows a text with PAGER, or with less; writes it if there is no such program. */
async function throughPager(text: string): Promise<void> {
  const { PAGER: named = '' } = process.env;
  const pager = spawn('sh', ['-c', named === '' ? 'less -FRX' : named], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise<number>((resolve) => {
    pager.once('error', () => resolve(NO_PROGRAM));
    pager.once('close', (code) => resolve(code ?? 0));
  });
  // Whoever leaves the pager early reads no more.
  pager.stdin.on('error', () => {});
  pager.stdin.end(text);
  if ((await ended) === NO_PROGRAM) process.stdout.write(text);
}

/** The exit code of a shell that does not find the program. */
const NO_PROGRAM = 127;

async function askPerson(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<null>((resolve) => reader.once('close', () => resolve(null)));
  try {
    const answer = await Promise.race([reader.question(question), ended]);
    // Ctrl-C and Ctrl-D leave the cursor behind the question.
    if (answer === null) process.stderr.write('\n');
    return answer ?? '';
  } finally {
    reader.close();
  }
}

/** How soon a second signal may be the same keypress, told again by a parent process, in milliseconds. */
const SAME_KEYPRESS_MS = 500;

function untilStopped(): AbortSignal {
  const controller = new AbortController();
  let firstMs: number | null = null;
  const onSignal = (): void => {
    if (firstMs !== null && performance.now() - firstMs > SAME_KEYPRESS_MS) {
      if (process.stderr.isTTY) process.stderr.write('\n');
      process.exit(130);
    }
    firstMs ??= performance.now();
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return controller.signal;
}
