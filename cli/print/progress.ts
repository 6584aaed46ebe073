// The progress of a command on standard error. On a terminal it is a line that appears after a second and is cleared
// before other output. Elsewhere it is a plain line every 15 seconds at most.
import { safeText } from './terminal-text.ts';

export type Progress = {
  /** Sets the text; '' clears the line for good. */
  readonly say: (text: string) => void;
  /** Writes to the same stream, after clearing the line. */
  readonly write: (text: string) => void;
  readonly stop: () => void;
};

const PATIENCE_MS = 1_000;
const REDRAW_MS = 200;
/** The shortest time between two lines if standard error is not a terminal. */
const NOTE_MS = 15_000;
const CLEAR_LINE = '\r\u001b[2K';

/** Starts the progress line. `shown`: whether the stream is a terminal. */
export function startProgress(
  write: (text: string) => void,
  shown: boolean,
  nowMs: () => number = () => performance.now(),
): Progress {
  const startedMs = nowMs();
  let text = '';
  let drawn = false;
  let noted = '';
  let notedMs = startedMs;
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
  /** Without a terminal, a long command still prints now and then what it does. */
  const note = (): void => {
    if (shown || text === '' || text === noted || nowMs() - notedMs < NOTE_MS) return;
    noted = text;
    notedMs = nowMs();
    write(`${safeText(text)}\n`);
  };
  const timer = setInterval(shown ? draw : note, REDRAW_MS);
  timer.unref();
  return {
    say(next) {
      text = next;
      if (text === '') clear();
      draw();
      note();
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
