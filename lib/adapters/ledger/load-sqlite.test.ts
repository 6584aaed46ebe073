import { afterEach, expect, it, vi } from 'vitest';
import { loadSqlite } from './load-sqlite.ts';

afterEach(() => vi.restoreAllMocks());

it('loadSqlite() hides the warning of an early Node 24, and no other warning', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const sqlite = { early: true };
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
    return sqlite as never;
  });
  expect(loadSqlite()).toBe(sqlite);
  expect(warned).not.toHaveBeenCalled();
  process.emitWarning('another');
  expect(warned).toHaveBeenCalledOnce();
});

it('loadSqlite() says that this Node has no SQLite', () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  expect(loadSqlite).toThrow(
    /^This Node \(v24\..*\) was built without SQLite\. Install one from https:\/\/nodejs\.org$/,
  );
});
