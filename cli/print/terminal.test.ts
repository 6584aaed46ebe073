// Ctrl-C on a terminal: script(1) of util-linux gives a process a terminal of its own.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const CTRL_C = '\u0003';
/** BSD's script has other options. */
const isThere = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

/** Runs a script with `terminal` on a terminal, and presses Ctrl-C at each of these texts. */
async function pressedAt(script: string, texts: readonly string[]): Promise<{ code: number | null; shown: string }> {
  const module = fileURLToPath(new URL('terminal.ts', import.meta.url));
  const source = `const { processTerminal } = await import(${JSON.stringify(module)});
    const terminal = processTerminal();
    ${script}`;
  const env = { ...process.env, SOURCE: source, NODE: process.execPath, TERM: 'xterm' };
  const command = '"$NODE" --input-type=module -e "$SOURCE"';
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const left = [...texts];
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
    if (left[0] === undefined || !shown.includes(left[0])) return;
    left.shift();
    child.stdin.write(CTRL_C);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown };
}

test.runIf(isThere)('Ctrl-C at a question is no answer, and leaves the line of the question', async () => {
  const script = `console.log('<' + (await terminal.ask('Go on? ')) + '>');`;
  const { code, shown } = await pressedAt(script, ['Go on? ']);
  expect([code, shown]).toEqual([0, expect.stringMatching(/Go on\? [^\n]*\r\n<>\r\n$/)]);
});

test.runIf(isThere)('a second Ctrl-C ends the process with 130, and leaves the line of the progress', async () => {
  // Within half a second it may be the same keypress, told again by a parent process.
  const script = `terminal.untilStopped().addEventListener('abort', () => setTimeout(() => process.stderr.write('ending '), 600));
    setInterval(() => {}, 1_000);
    process.stderr.write('at work ');`;
  const { code, shown } = await pressedAt(script, ['at work ', 'ending ']);
  expect([code, shown]).toEqual([130, expect.stringMatching(/ending [^\n]*\r\n$/)]);
});
