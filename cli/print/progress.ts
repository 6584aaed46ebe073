// The progress line: drawn on a terminal only, once something takes over a second, and gone before anything else is
// written.
import { safeText } from './terminal-text.ts';

export type Progress = {
  /** Says what is being done now. */
  readonly say: (text: string) => void;
  /** Writes to the same stream without tearing the line. */
  readonly write: (text: string) => void;
  readonly stop: () => void;
};

const PATIENCE_MS = 1_000;
const REDRAW_MS = 200;
const CLEAR_LINE = '\r\u001b[2K';

/** Starts the clock. `write` is the stream's, `shown` whether it is a terminal. */
export function startProgress(
  write: (text: string) => void,
  shown: boolean,
  nowMs: () => number = () => performance.now(),
): Progress {
  const startedMs = nowMs();
  let text = '';
  let drawn = false;
  const draw = (): void => {
    const elapsedMs = nowMs() - startedMs;
    if (!shown || text === '' || elapsedMs < PATIENCE_MS) return;
    drawn = true;
    write(`${CLEAR_LINE}${safeText(text)} … ${Math.floor(elapsedMs / 1000)} s`);
  };
  const clear = (): void => {
    if (drawn) write(CLEAR_LINE);
    drawn = false;
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    say(next) {
      text = next;
      draw();
    },
    write(line) {
      clear();
      write(line);
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}
