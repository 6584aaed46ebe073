// Lets the runs of one process work in a hosted zone one after the other, as the lease makes processes do. Requests
// that wait for the same turn are combined, so a thousand DNSRecords at once need few calls.

/** Does the work when all earlier work for this key has ended, whether it failed or not. */
function takeTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

/** Combines requests with the same key and `owner` object that wait for one turn. Each caller gets the whole answer. */
export type Gather = <Asked, Answer>(
  owner: object,
  key: string,
  asked: readonly Asked[],
  work: (all: readonly Asked[]) => Promise<Answer>,
) => Promise<Answer>;

export function gatherInTurns(): Gather {
  const turns = takeTurns();
  type Waiting = { readonly all: unknown[]; readonly answer: Promise<unknown> };
  const waiting = new WeakMap<object, Map<string, Waiting>>();
  return async <Asked, Answer>(
    owner: object,
    key: string,
    asked: readonly Asked[],
    work: (all: readonly Asked[]) => Promise<Answer>,
  ) => {
    const ofOwner = waiting.get(owner) ?? new Map<string, Waiting>();
    waiting.set(owner, ofOwner);
    const before = ofOwner.get(key);
    if (before !== undefined) {
      before.all.push(...asked);
      return before.answer as Promise<Answer>;
    }
    const all: Asked[] = [...asked];
    const answer = turns(key, () => {
      ofOwner.delete(key);
      return work(all);
    });
    ofOwner.set(key, { all, answer });
    return answer;
  };
}
