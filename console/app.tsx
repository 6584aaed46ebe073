// The page of the console: the links and the search, the screen that the address names, and the line with the state.
import { useSignalEffect } from '@preact/signals';
import { type JSX, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { HistoryScreen } from './history-screen.tsx';
import { HostedZoneScreen, HostedZonesScreen } from './hosted-zone-screen.tsx';
import { go, route, startLive } from './live.ts';
import { MayScreen } from './may-screen.tsx';
import { NameScreen } from './name-screen.tsx';
import { NamesScreen } from './names-screen.tsx';
import type { Route, Screen } from './route.ts';
import { SCREENS } from './route.ts';
import { listenForSlash } from './shortcut.ts';
import { shownText } from './shown-text.ts';
import { StateLine } from './state-line.tsx';
import { WaitingScreen } from './waiting-screen.tsx';

const TITLES: Readonly<Record<Screen, string>> = {
  names: 'Names',
  waiting: 'Waiting',
  may: 'Who may',
  'hosted-zones': 'Hosted zone',
  history: 'History',
};

function App(): JSX.Element {
  const { screen, of } = route.value;
  const view = `${screen} ${of ?? ''}`;
  const main = useRef<HTMLElement>(null);
  const seen = useRef(view);
  useEffect(() => {
    document.title = `${of === null ? TITLES[screen] : shownText(of)} – zone53`;
    if (seen.current === view) return;
    seen.current = view;
    // Who follows a link goes on reading at the head of the new screen; who types stays in the search.
    if (document.activeElement?.matches('input[type=search]') !== true) {
      scrollTo(0, 0);
      main.current?.querySelector('h1')?.focus({ preventScroll: true });
    }
  }, [view]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <p class="brand">zone53</p>
        <nav aria-label="Screens">
          {SCREENS.map((one) => (
            <a key={one} href={`#/${one}`} aria-current={one === screen ? 'page' : undefined}>
              {TITLES[one]}
            </a>
          ))}
        </nav>
        <Search />
      </header>
      <main id="main" ref={main} tabIndex={-1} onKeyDown={onArrow}>
        <Shown {...route.value} />
      </main>
      <StateLine />
    </>
  );
}

function Shown({ screen, of }: Route): JSX.Element {
  switch (screen) {
    case 'names':
      return of === null ? <NamesScreen /> : <NameScreen key={of} name={of} />;
    case 'waiting':
      return <WaitingScreen />;
    case 'may':
      return <MayScreen />;
    case 'hosted-zones':
      return of === null ? <HostedZonesScreen /> : <HostedZoneScreen key={of} id={of} />;
    case 'history':
      return <HistoryScreen />;
  }
}

/** How long somebody has typed nothing before the server is asked, in milliseconds. */
const TYPED_MS = 120;

function Search(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => listenForSlash(() => field.current), []);
  // The field shows the question of the address, unless somebody types a newer one.
  useSignalEffect(() => {
    const { screen, of, question } = route.value;
    if (field.current !== null && timer.current === undefined && screen === 'names' && of === null)
      field.current.value = question.query ?? '';
  });
  const search = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const { screen, of, question } = route.value;
    const isList = screen === 'names' && of === null;
    const { namespace = '' } = isList ? question : {};
    go('names', null, { query: field.current?.value.trim() ?? '', namespace }, { inPlace: isList });
  };
  const onInput = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(search, TYPED_MS);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') search();
    if (event.key === 'ArrowDown' && focusRow(0)) event.preventDefault();
  };
  return (
    <search>
      <label>
        <span class="unseen">Search names, objects, namespaces and values</span>
        <input
          ref={field}
          type="search"
          placeholder="Name, object, namespace or value"
          autoComplete="off"
          spellcheck={false}
          onInput={onInput}
          onKeyDown={onKeyDown}
        />
      </label>
    </search>
  );
}

function rowLinks(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main tbody th a')];
}

function focusRow(at: number): boolean {
  const link = rowLinks()[at];
  link?.focus();
  return link !== undefined;
}

/** Arrows go from row to row, and from the first row up to the search. */
function onArrow(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const at = rowLinks().indexOf(event.target as HTMLElement);
  if (step === undefined || at === -1) return;
  event.preventDefault();
  if (at + step < 0) document.querySelector<HTMLElement>('input[type=search]')?.focus();
  else focusRow(at + step);
}

startLive();
const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
