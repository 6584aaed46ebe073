// What is asked for while requests are under way shares the next one, and what cannot share does not wait.
import { describe, expect, test } from 'vitest';
import { sentTogether } from './sent-together.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Requests of at most five. Each one is under way until `answer()`, which answers the oldest. */
function sender() {
  const requests: number[][] = [];
  const open: (() => void)[] = [];
  const ask = sentTogether<number>({
    cut: (all) => Array.from({ length: Math.ceil(all.length / 5) }, (_, at) => all.slice(at * 5, at * 5 + 5)),
    isFull: (request) => request.length === 5,
    send: (request) => {
      requests.push([...request]);
      return new Promise((resolve) => open.push(resolve));
    },
  });
  const answer = async () => {
    open.shift()?.();
    await turn();
    await turn();
  };
  const askEach = async (...all: readonly number[]) => {
    for (const one of all) {
      ask(one);
      await turn();
    }
  };
  return { requests, ask, askEach, answer };
}

describe('sentTogether()', () => {
  test('sends at once what is asked for at one moment', async () => {
    const { requests, ask } = sender();
    for (const one of [1, 2, 3]) ask(one);
    await turn();
    expect(requests).toEqual([[1, 2, 3]]);
  });

  test('lets what comes one by one wait while two requests are under way', async () => {
    const { requests, askEach, answer } = sender();
    await askEach(1, 2, 3, 4, 5, 6);
    expect(requests).toEqual([[1], [2]]);
    await answer();
    expect(requests).toEqual([[1], [2], [3, 4, 5, 6]]);
  });

  test('lets a full request wait for none', async () => {
    const { requests, ask, askEach, answer } = sender();
    await askEach(1, 2);
    for (const one of [3, 4, 5, 6, 7, 8]) ask(one);
    await turn();
    expect(requests).toEqual([[1], [2], [3, 4, 5, 6, 7]]);
    await answer();
    await answer();
    expect(requests.slice(3)).toEqual([[8]]);
  });
});
