// Loads node:sqlite without its warning. Early versions of Node 24 call the module experimental on standard error; that
// is nothing the user of a command can act on. Later ones print nothing.

type Sqlite = typeof import('node:sqlite');

/** Node's own SQLite. Throws an Error when this Node was built without it. */
export function loadSqlite(): Sqlite {
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    const sqlite: Sqlite | undefined = process.getBuiltinModule('node:sqlite');
    if (sqlite !== undefined) return sqlite;
  } finally {
    process.emitWarning = warn;
  }
  throw new Error(`This Node (${process.version}) was built without SQLite. Install one from https://nodejs.org`);
}
