// Somewhere to log.
/** One structured log line; `fields` carry keys and counts, never a tenant's text unescaped. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
