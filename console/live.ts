// What the page knows: where it is, and what the server says has changed. While the tab is seen, the server is asked
// every two seconds what changed since the answer before; each view asks again for what it shows when that touches it.
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangesAnswer, StatusAnswer } from '../cli/console/answers.ts';
import { ask, failureText, questionPath, RefusedError } from './ask.ts';
import { formatRoute, parseRoute, type Route, type Screen } from './route.ts';

const EVERY_MS = 2_000;
/** The line with the state is asked for again after this time, also if nothing has changed. */
const STATUS_EVERY_MS = 20_000;
/** While things change all the time, it is asked for no more often than this. */
const STATUS_AFTER_MS = 4_000;

/** Where the page is. */
export const route = signal<Route>(parseRoute(location.hash));
/** The time of the last answer, in milliseconds since the epoch: the server is on this machine. */
export const nowMs = signal(Date.now());
/** Why the last question was not answered; null: it was. */
export const trouble = signal<string | null>(null);
export const status = signal<StatusAnswer | null>(null);

/** What changed. `all`: nobody knows, so everything may have. */
export type Touched = { readonly names: ReadonlySet<string>; readonly waiting: boolean; readonly all: boolean };
const touched = signal<Touched>({ names: new Set(), waiting: false, all: false });

/** Goes to a view. `inPlace`: the browser's Back does not return to the present one. */
export function go(
  screen: Screen,
  of: string | null,
  question: Route['question'],
  { inPlace = false }: { readonly inPlace?: boolean } = {},
): void {
  const fragment = formatRoute(screen, of, question);
  if (fragment === location.hash) return;
  if (!inPlace) {
    location.hash = fragment;
    return;
  }
  history.replaceState(null, '', fragment);
  route.value = parseRoute(fragment);
}

/** Begins to ask what changes. */
export function startLive(): void {
  addEventListener('hashchange', () => {
    const { screen, of, question } = route.value;
    // The link to the content is no view: the address stays that of the view.
    if (location.hash === '#main') history.replaceState(null, '', formatRoute(screen, of, question));
    else route.value = parseRoute(location.hash);
  });
  let since: string | null = null;
  let askedMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  const look = async () => {
    clearTimeout(timer);
    if (isAsking || document.visibilityState !== 'visible') return;
    isAsking = true;
    let isMore = false;
    try {
      const changes = await ask<ChangesAnswer>(questionPath('changes', { since }));
      const isBack = trouble.value !== null;
      since = changes.now;
      isMore = changes.more;
      nowMs.value = Date.now();
      trouble.value = null;
      const isSame = changes.names.length === 0 && !changes.waiting && !isBack;
      if (!isSame) touched.value = { names: new Set(changes.names), waiting: changes.waiting, all: isBack };
      const passedMs = performance.now() - askedMs;
      if (passedMs > (isSame ? STATUS_EVERY_MS : STATUS_AFTER_MS)) {
        askedMs = performance.now();
        status.value = await ask<StatusAnswer>('status');
      }
    } catch (error) {
      trouble.value = failureText(error);
      // A `since` that the server does not know, as after a restart.
      if (error instanceof RefusedError) since = null;
    } finally {
      isAsking = false;
      timer = setTimeout(look, isMore ? 0 : EVERY_MS);
    }
  };
  document.addEventListener('visibilitychange', look);
  void look();
}

/** An answer that is kept up to date. `value` is that of the question before while the next is on its way. */
export type Answer<T> = {
  readonly path: string | null;
  readonly value: T | null;
  readonly failure: string | null;
};

const NOTHING: Answer<never> = { path: null, value: null, failure: null };

/** Asks a question, and asks it again whenever something changed that touches it. A null path asks nothing. */
export function useAnswer<T>(
  path: string | null,
  {
    isTouched = (all) => all.all || all.names.size > 0,
    load: get = ask,
    key = path,
  }: {
    readonly isTouched?: (touched: Touched) => boolean;
    readonly load?: (path: string, signal: AbortSignal) => Promise<T>;
    /** What the answer depends on, if that is more than the path. */
    readonly key?: string | null;
  } = {},
): Answer<T> {
  const answer = useSignal<Answer<T>>(NOTHING);
  useEffect(() => {
    if (path === null) return;
    const ending = new AbortController();
    let isAsking = false;
    let isStale = false;
    const load = async () => {
      isStale = true;
      if (isAsking) return;
      isAsking = true;
      while (isStale && !ending.signal.aborted) {
        isStale = false;
        try {
          const value = await get(path, ending.signal);
          if (!ending.signal.aborted) answer.value = { path, value, failure: null };
        } catch (error) {
          if (ending.signal.aborted) return;
          const kept = answer.value.path === path ? answer.value.value : null;
          answer.value = { path, value: kept, failure: failureText(error) };
        }
      }
      isAsking = false;
    };
    void load();
    const before = touched.value;
    const stop = touched.subscribe((now) => {
      if (now !== before && isTouched(now)) void load();
    });
    return () => {
      stop();
      ending.abort();
    };
  }, [key]);
  return answer.value;
}

/** True if a path has not been answered yet. */
export function isLoading(answer: Answer<unknown>, path: string | null): boolean {
  return path !== null && answer.path !== path;
}
