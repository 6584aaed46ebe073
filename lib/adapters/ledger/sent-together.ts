// What is asked for at the same moment shares a request (batched-reads.ts and its neighbours). But of 1,000 changed
// objects each goes on when its own answer comes, and soon hardly two ask at the same moment. So while requests are
// under way, what is asked for waits for the next one to return. A full request does not wait, since nothing can be
// added to it, and neither do the first ones: one change alone is as fast as without this.

/** While so many requests are under way, what does not fill another one waits. */
const UNDER_WAY_MAX = 2;

type Options<Asked> = {
  /** The requests for all that waits, in order. Only the last one may be sent later. */
  readonly cut: (all: readonly Asked[]) => readonly (readonly Asked[])[];
  /** True if nothing can be added to a request. */
  readonly isFull: (request: readonly Asked[]) => boolean;
  /** Sends a request, and never rejects. */
  readonly send: (request: readonly Asked[]) => Promise<void>;
};

/** Returns a function that has one more sent: after all code that is ready to run, so that what it asks for joins. */
export function sentTogether<Asked>({ cut, isFull, send }: Options<Asked>): (one: Asked) => void {
  let waiting: Asked[] = [];
  let underWay = 0;
  let isComing = false;
  const soon = () => {
    if (isComing || waiting.length === 0) return;
    isComing = true;
    setImmediate(sendNow);
  };
  const begin = (request: readonly Asked[]) => {
    underWay += 1;
    void send(request).then(() => {
      underWay -= 1;
      soon();
    });
  };
  const sendNow = () => {
    isComing = false;
    const requests = cut(waiting);
    waiting = [];
    for (const [index, request] of requests.entries()) {
      const waits = index === requests.length - 1 && underWay >= UNDER_WAY_MAX && !isFull(request);
      if (waits) waiting = [...request];
      else begin(request);
    }
  };
  return (one) => {
    waiting.push(one);
    soon();
  };
}
