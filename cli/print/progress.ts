// The progress line: drawn on a terminal only, once something takes over a second, and gone before anything else is
// written.
import { safeText } from './terminal-text.ts';

export type Progress = {
  /** Says what is being done now; '' for nothing: the line goes, and does not come again. */
  readonly say: (text: string) => void;
  /** Writes to the same stream without tearing the line. */
  readonly write: (text: string) => void;
  readonly stop: () => void;
};

const PATIENCE_MS = 1_000;
const REDRAW_MS = 200;
/** Between two lines where standard error is no terminal. */
const NOTE_MS = 15_000;
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
  /** Where nobody looks, what takes long still says now and then how far it is. */
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
