import { expect, test } from 'vitest';
import { readAsWhoMay } from './read-as-who-may.ts';

/** Which role sees which hosted zones. Others are denied, or are told that there is no such hosted zone. */
function account(sees: Readonly<Record<string, readonly string[]>>, denied: readonly string[] = []) {
  const asked: string[] = [];
  const ask = (id: string) => async (caller: string) => {
    asked.push(`${caller} ${id}`);
    if (sees[caller]?.includes(id) === true) return `${id} by ${caller}`;
    if (denied.includes(caller)) throw new Error(`${caller} is denied`);
    return null;
  };
  return { asked, ask };
}

test('readAsWhoMay() reads as ourselves, then as the first role that may read, and remembers that role', async () => {
  const { asked, ask } = account({ own: ['Z1'], b: ['Z2'], c: ['Z2'] }, ['own', 'a']);
  const read = readAsWhoMay('own', ['a', 'b', 'c']);
  expect(await read('Z1', ask('Z1'))).toBe('Z1 by own');
  expect(await read('Z2', ask('Z2'))).toBe('Z2 by b');
  expect(await read('Z2', ask('Z2'))).toBe('Z2 by b');
  expect(asked).toEqual(['own Z1', 'own Z2', 'a Z2', 'b Z2', 'b Z2']);
});

test('readAsWhoMay() gives the answer that we got ourselves when no role sees it', async () => {
  const denied = account({}, ['own']);
  await expect(readAsWhoMay('own', ['a'])('Z1', denied.ask('Z1'))).rejects.toThrow('own is denied');
  const gone = account({}, ['a']);
  expect(await readAsWhoMay('own', ['a'])('Z1', gone.ask('Z1'))).toBeNull();
});

test('readAsWhoMay() names a role that could not be assumed, because that role might see it', async () => {
  const cause = Object.assign(new Error('Cannot assume role a'), { name: 'CredentialsProviderError' });
  const ask = async (caller: string) => {
    if (caller === 'a') throw new Error(`Cannot read: ${cause.message}`, { cause });
    if (caller === 'denied') throw new Error('denied is denied');
    return caller === 'b' ? 'by b' : null;
  };
  await expect(readAsWhoMay('own', ['a'])('Z1', ask)).rejects.toThrow('Cannot assume role a');
  await expect(readAsWhoMay('denied', ['a'])('Z1', ask)).rejects.toThrow('Cannot assume role a');
  expect(await readAsWhoMay('own', ['a', 'b'])('Z1', ask)).toBe('by b');
});
