// DynamoDB in this process, over dynalite: in memory, or kept in a folder (LevelDB) from run to run. A folder belongs to one
// process at a time; the second one is told so. Only `zone53 local`, `--state` and tests use it.
//
// dynalite ends the process on a store that does not open and on a request that breaks off. So the folder is tried first,
// and a broken request is dropped.
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';

export type Dynalite = {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly documentClient: DynamoDBDocumentClient;
  /** Ends the clients and the server, and releases the folder. */
  close(): Promise<void>;
};

type LevelDatabase = { open(): Promise<void>; close(): Promise<void> };
type LevelModule = { readonly Level: new (path: string) => LevelDatabase };

/**
 * Starts DynamoDB on a free port of 127.0.0.1, in memory when there is no `path`. Throws an Error that names the folder when
 * another process has it or when it cannot be used.
 */
export async function startDynalite(options: { readonly path?: string } = {}): Promise<Dynalite> {
  const { path } = options;
  if (path !== undefined) await tryFolder(path);
  const server = dynalite({ ...(path === undefined ? {} : { path }), createTableMs: 0, deleteTableMs: 0 });
  server.prependListener('request', dropBroken);
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  // dynalite opens its store in the background; once it has answered, the folder is ours.
  await client.send(new ListTablesCommand({ Limit: 1 }));
  const close = async () => {
    client.destroy();
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
  };
  return { endpoint, client, documentClient: DynamoDBDocumentClient.from(client), close };
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

/** Keeps dynalite from listening for a request's `error`, which it throws out of the event loop. */
function dropBroken(request: IncomingMessage): void {
  const on = request.on.bind(request);
  request.on('error', () => request.destroy());
  request.on = (event: string, listener: (...args: never[]) => void) =>
    event === 'error' ? request : on(event, listener as (...args: unknown[]) => void);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
