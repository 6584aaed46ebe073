// The use cases of the console. They load their modules when they run.
import type { LocalRequest } from '../run/requests.ts';
import type { ConsoleRequest } from './requests.ts';

/** Serves the console until the signal is aborted. */
export async function console(request: ConsoleRequest): Promise<void> {
  const { runConsole } = await import('./run-console.ts');
  return runConsole(request);
}

/** Serves the console of `zone53 local`. */
export const consoleOfLocal: NonNullable<LocalRequest['console']>['serve'] = async (asked, context, of) => {
  const { serveConsoleOfLocal } = await import('./run-console.ts');
  return serveConsoleOfLocal(asked, context, of);
};
