// Loads node:sqlite without its warning. Early versions of Node 24 call the module experimental on standard error,
// about which a user can do nothing.

type Sqlite = typeof import('node:sqlite');

/** Node's own SQLite. Throws an Error if this Node was built without it. */
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
