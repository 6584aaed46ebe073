// What the runs of one process share. In each hosted zone one piece of work follows the other, as the lease has it
// between processes. What waits for its turn goes together, so a thousand DNSRecords at once are few calls.

/** Does the work when what came before it for this key has ended, well or not. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function takeTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
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

/** Hands what waits for one turn, of one `owner` object, to the work of that turn; each gets the whole answer. */
export type Gather = <Asked, Answer>(
  owner: object,
  key: string,
  asked: readonly Asked[],
  work: (all: readonly Asked[]) => Promise<Answer>,
) => Promise<Answer>;

export function gatherInTurns(turns: Turns): Gather {
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
