// The progress of a command on standard error. On a terminal it is a line that appears after a second and is cleared
// before other output; it is cut to the width, because the rest of a longer line would stay. Elsewhere it is a plain
// line every 15 seconds at most. The seconds begin anew after '', with which a question begins.
import { safeText } from './terminal-text.ts';

export type Progress = {
  /** Sets the text; '' clears the line, and what is said next counts its seconds from then. */
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

/** Starts the progress line. `shown`: whether the stream is a terminal; `columns`: its width, null if not known. */
export function startProgress(
  write: (text: string) => void,
  shown: boolean,
  nowMs: () => number = () => performance.now(),
  columns: () => number | null = () => null,
): Progress {
  let startedMs = nowMs();
  let text = '';
  let drawn = false;
  let isPaused = false;
  let noted = '';
  let notedMs = startedMs;
  const draw = (): void => {
    const elapsedMs = nowMs() - startedMs;
    if (!shown || text === '' || elapsedMs < PATIENCE_MS) return;
    drawn = true;
    write(`${CLEAR_LINE}${lineOf(safeText(text), ` … ${Math.floor(elapsedMs / 1000)} s`, columns())}`);
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
      if (isPaused && next !== '') startedMs = nowMs();
      isPaused = next === '';
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

/** The text and the time in one row, with the last column free: some terminals begin a new row when it is filled. */
function lineOf(text: string, time: string, columns: number | null): string {
  if (columns === null || text.length + time.length < columns) return text + time;
  const room = columns - 1 - time.length;
  return room > 0 ? text.slice(0, room) + time : text.slice(0, Math.max(0, columns - 1));
}
