// The interface to the log.
/** Writes one structured line. `fields` are keys and counts, never unescaped text from a tenant. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
