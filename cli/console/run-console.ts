// `zone53 console`, and the console of `zone53 local`: what each reads, and the server over it.
import { shippedFile } from '../../lib/adapters/system/shipped-file.ts';
import type { Context } from '../../lib/ports/context.ts';
import { safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { doubtState } from '../run/open-ledger.ts';
import type { ConsoleOfLocal, ReadByConsole, ServedConsole, Source, Store } from '../run/requests.ts';
import { withContext } from '../run/with-context.ts';
import { apiOf } from './api.ts';
import { openBrowser } from './open-browser.ts';
import { openRefreshing } from './refreshing-ledger.ts';
import type { ConsoleRequest } from './requests.ts';
import { serveConsole } from './serve-console.ts';
import { randomToken, readToken } from './token.ts';
import { type ConsoleDeps, openWorld } from './world.ts';

/** For so long what was read counts as true: of a table, of files, of a cluster. */
const TABLE_MS_MAX = 30_000;
const FILES_MS_MAX = 5_000;
const CLUSTER_MS_MAX = 30_000;
/** So much the clocks of those who write a table may differ from ours. */
const SKEW_MS = 60_000;

/** Serves the console until the signal is aborted. Throws if the port is taken, or the token cannot be read. */
export async function runConsole(request: ConsoleRequest): Promise<void> {
  const { source, store, port, tokenFile, log, print, signal } = request;
  const token = tokenFile === null ? randomToken() : readToken(tokenFile);
  const doubt = doubtState(store);
  if (doubt !== null) log('warn', doubt);
  request.progress('opening the ledger');
  const opened = await openRefreshing(store);
  try {
    const toRead = { ledger: opened.ledger, route53Url: opened.route53Url(), close: opened.close };
    const options = { readOnly: 'copy', readingMsMax: 0, opened: toRead } as const;
    await withContext(request, options, async (context) => {
      const isTable = store.kind === 'table';
      const world = openWorld({
        ...{ context, source },
        isResolved: source === null,
        isEmbedded: !isTable,
        refresh: opened.refresh,
        // Only a look at the files of a folder tells that they have changed.
        ledgerMsMax: isTable ? TABLE_MS_MAX : Number.POSITIVE_INFINITY,
        skewMs: isTable ? SKEW_MS : 0,
        described: { source: sourceText(source), ledger: ledgerText(store) },
        ...ofSource(source),
      });
      const server = await serveConsole({ port, mayMove: false, token, answer: apiOf(world), log }).catch(portAdvice);
      try {
        request.progress('');
        print(`Console ${server.url}`);
        if (request.opens) openBrowser(server.urlToOpen());
        await untilAborted(signal);
      } finally {
        await server.close();
      }
    });
  } finally {
    await opened.close();
  }
}

/** Serves the console of `zone53 local` over its own ledger. */
export async function serveConsoleOfLocal(
  { port, mayMove }: ConsoleOfLocal,
  context: Context,
  { source, folder, hasChanged }: ReadByConsole,
): Promise<ServedConsole> {
  const world = openWorld({
    context,
    // Files are read again after each change. A cluster is not: the ledger remembers its objects.
    source: source.kind === 'context' ? null : source,
    isResolved: true,
    isEmbedded: true,
    refresh: async () => hasChanged(),
    ledgerMsMax: Number.POSITIVE_INFINITY,
    skewMs: 0,
    described: { source: sourceText(source), ledger: ledgerText({ kind: 'folder', folder }) },
    ...ofSource(source),
    sourceMsMax: Number.POSITIVE_INFINITY,
  });
  const options = { port, mayMove, token: randomToken(), answer: apiOf(world), log: context.log };
  return serveConsole(options).catch(portAdvice);
}

function ofSource(source: Source | null): Pick<ConsoleDeps, 'version' | 'kubectl' | 'sourceMsMax'> {
  const { version } = JSON.parse(shippedFile('package.json')) as { readonly version: string };
  const at = source?.kind === 'context' ? ` --context ${safeText(source.name)}` : '';
  return { version, kubectl: `kubectl${at}`, sourceMsMax: source?.kind === 'context' ? CLUSTER_MS_MAX : FILES_MS_MAX };
}

function sourceText(source: Source | null): string {
  if (source === null) return 'the objects that the ledger remembers';
  return source.kind === 'context' ? `context ${source.name}` : source.paths.join(', ');
}

function ledgerText(store: Store): string {
  return store.kind === 'table' ? `table ${store.table}` : `folder ${store.folder}`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Turns the error of a port in use into advice; throws any other error as it is. */
function portAdvice(error: unknown): never {
  const { message, cause } = error instanceof Error ? error : {};
  if ((cause as { readonly code?: unknown } | undefined)?.code !== 'EADDRINUSE') throw error;
  throw new UsageError(`${message}. Is another console running? Choose another port; 0 takes a free one`);
}
