// What the fragment of the address says: the screen, what it is about, and its question. Each view has an address of
// its own, so it can be sent to somebody, and the browser's Back works.

/** The screens, in the order of their links; `hosted-zones` and `names` may be about one of them. */
export const SCREENS = ['names', 'waiting', 'may', 'hosted-zones', 'history'] as const;

export type Screen = (typeof SCREENS)[number];

export type Route = {
  readonly screen: Screen;
  /** The name or the id of the hosted zone; null: the list. */
  readonly of: string | null;
  readonly question: Readonly<Record<string, string>>;
};

/** Reads a fragment, with or without its `#`. What is no address of ours is the first screen. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = splitAt(fragment.replace(/^#/, ''), '?');
  const [, first = '', ...rest] = path.split('/');
  const screen = SCREENS.find((one) => one === first);
  if (screen === undefined) return { screen: 'names', of: null, question: {} };
  const of = rest.join('/');
  return {
    screen,
    of: of === '' || (screen !== 'names' && screen !== 'hosted-zones') ? null : decoded(of),
    question: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The fragment of a view, with its `#`. Parts of the question that are empty are left out. */
export function formatRoute(screen: Screen, of: string | null = null, question: Route['question'] = {}): string {
  const path = of === null ? `#/${screen}` : `#/${screen}/${encodeURIComponent(of)}`;
  const query = new URLSearchParams(Object.entries(question).filter(([, value]) => value !== '')).toString();
  return query === '' ? path : `${path}?${query}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitAt(text: string, sign: string): readonly string[] {
  const at = text.indexOf(sign);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
