// DynamoDB in this process, over dynalite: in memory, or kept in a folder (LevelDB) from run to run. A folder belongs to one
// process at a time; the second one is told so. Only `zone53 local`, `--state` and tests use it. It runs in a thread of its
// own (dynalite-thread.ts): half of the work of a ledger call is dynalite's.
//
// dynalite ends the process on a store that does not open and on a request that breaks off. So the folder is tried first,
// and a broken request is dropped.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export type Dynalite = {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly documentClient: DynamoDBDocumentClient;
  /** Ends the clients and the server, and releases the folder. */
  close(): Promise<void>;
};

/** `.ts` in the repository, `.js` in the package. */
const THREAD = new URL(`./dynalite-thread${extname(import.meta.url)}`, import.meta.url);

type LevelDatabase = { open(): Promise<void>; close(): Promise<void> };
type LevelModule = { readonly Level: new (path: string) => LevelDatabase };

/**
 * Starts DynamoDB on a free port of 127.0.0.1, in memory when there is no `path`. Throws an Error that names the folder when
 * another process has it or when it cannot be used.
 */
export async function startDynalite(options: { readonly path?: string } = {}): Promise<Dynalite> {
  const { path } = options;
  if (path !== undefined) await tryFolder(path);
  // Without the flags of the process: some, such as `--input-type`, do not go with a file.
  const thread = new Worker(THREAD, { workerData: { path: path ?? null }, execArgv: [] });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => null);
  const onError = (error: unknown) => broken.reject(startError(path, error));
  thread.once('error', onError);
  const endpoint = `http://127.0.0.1:${await Promise.race([broken.promise, messageFrom(thread)])}`;
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  // dynalite opens its store in the background; once it has answered, the folder is ours.
  await Promise.race([broken.promise, client.send(new ListTablesCommand({ Limit: 1 }))]);
  thread.off('error', onError);
  const close = async () => {
    client.destroy();
    thread.postMessage('close');
    await messageFrom(thread);
    await thread.terminate();
  };
  return { endpoint, client, documentClient: DynamoDBDocumentClient.from(client), close };
}

/** The next message of the thread. Throws what ended it. */
async function messageFrom(thread: Worker): Promise<unknown> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      once(thread, 'message', { signal: ended.signal }).then(([message]) => message as unknown),
      once(thread, 'exit', { signal: ended.signal }).then(([code]) => {
        throw new Error(`the thread of the embedded DynamoDB ended with ${code}`);
      }),
    ]);
  } finally {
    ended.abort();
  }
}

/** Between our trying the folder and dynalite's opening it, another process may have come first. */
function startError(path: string | undefined, error: unknown): unknown {
  const { code } = error as { readonly code?: string };
  if (path === undefined || code !== 'LEVEL_DATABASE_NOT_OPEN') return error;
  return new Error(`state folder ${path} is in use by another zone53`, { cause: error });
}

/** Opens and closes the store once: dynalite itself would end the process where this throws. */
async function tryFolder(path: string): Promise<void> {
  // The very module that dynalite will open it with.
  const { Level } = createRequire(createRequire(import.meta.url).resolve('dynalite'))('level') as LevelModule;
  try {
    await mkdir(path, { recursive: true });
    const store = new Level(path);
    await store.open();
    await store.close();
  } catch (error) {
    const cause = (error as { readonly cause?: { readonly code?: string; readonly message?: string } }).cause;
    if (cause?.code === 'LEVEL_LOCKED') {
      throw new Error(`state folder ${path} is in use by another zone53`, { cause: error });
    }
    const detail = cause?.message ?? (error instanceof Error ? error.message : String(error));
    throw new Error(`state folder ${path} cannot be used: ${detail}`, { cause: error });
  }
}
