import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Change, planChanges } from '../dns/plan-changes.ts';
import type { RecordSet, RecordSetContent } from '../dns/record-set.ts';
import { BATCH_CHARACTERS_MAX, BATCH_ELEMENTS_MAX, type Batch, batchChanges, unitOf } from './batch-changes.ts';

const APEX = 'example.org.';

function recordSet(name: string, type: string, values: readonly string[]): RecordSet {
  return { name, type, setIdentifier: null, content: { kind: 'values', ttlSeconds: 60, values } };
}

function texts(count: number, length: number, letter = 'x'): string[] {
  return Array.from({ length: count }, (_, index) => `"${`${index}`.padStart(length - 2, letter)}"`);
}

/** What Route 53 counts, computed only from the elements of the batch. */
function measure(batch: Batch): { elements: number; characters: number } {
  let elements = 0;
  let characters = 0;
  for (const {
    action,
    recordSet: { content },
  } of batch.recordSetChanges) {
    const times = action === 'UPSERT' ? 2 : 1;
    elements += times * (content.kind === 'values' ? content.values.length : 1);
    if (content.kind === 'values') characters += times * content.values.join('').length;
  }
  return { elements, characters };
}

function isWithin({ elements, characters }: ReturnType<typeof measure>): boolean {
  return elements <= BATCH_ELEMENTS_MAX && characters <= BATCH_CHARACTERS_MAX;
}

/** Whether one element of the batch exceeds the limits by itself. */
function hasTooLarge(batch: Batch): boolean {
  return batch.recordSetChanges.some((one) => !isWithin(measure({ ...batch, recordSetChanges: [one] })));
}

function actions(batch: Batch): string[] {
  return batch.recordSetChanges.map(({ action, recordSet: { name, type } }) => `${action} ${name} ${type}`);
}

/** Applies the batches to the published record sets as Route 53 would: element by element, by compare-and-swap. */
function applyBatches(published: readonly RecordSet[], batches: readonly Batch[]): Map<string, RecordSetContent> {
  const standing = new Map(published.map((one) => [`${one.name} ${one.type}`, one.content]));
  for (const {
    action,
    recordSet: { name, type, content },
  } of batches.flatMap((batch) => batch.recordSetChanges)) {
    const key = `${name} ${type}`;
    if (action === 'CREATE') expect(standing.has(key)).toBe(false);
    if (action === 'DELETE') expect(standing.get(key)).toEqual(content);
    if (action === 'DELETE') standing.delete(key);
    else standing.set(key, content);
  }
  return standing;
}

describe('batchChanges()', () => {
  test('fills a batch to the limits of Route 53, 1,000 elements and 32,000 characters, and no further', () => {
    const sizes = (sets: RecordSet[]) => batchChanges(planChanges([], sets), { apex: APEX }).map(measure);
    const addresses = (count: number) =>
      Array.from({ length: count }, (_, index) => recordSet(`r${index}.${APEX}`, 'A', ['192.0.2.1']));
    expect(sizes(addresses(1_000)).map(({ elements }) => elements)).toEqual([1_000]);
    expect(sizes(addresses(1_001)).map(({ elements }) => elements)).toHaveLength(2);
    // 160 strings of 200 characters fill a batch; one more character needs a second batch.
    const long = texts(160, 200).map((text, index) => recordSet(`t${index}.${APEX}`, 'TXT', [text]));
    expect(sizes(long).map(({ characters }) => characters)).toEqual([32_000]);
    const longer = [...long.slice(1), recordSet(`t0.${APEX}`, 'TXT', texts(1, 201))];
    expect(sizes(longer).map(({ characters }) => characters)).toHaveLength(2);
  });

  test('makes an update a DELETE and a CREATE, deletes of a name before its creates', () => {
    const plan = planChanges(
      [recordSet('a.example.org.', 'A', ['192.0.2.1']), recordSet('a.example.org.', 'TXT', ['"x"'])],
      [recordSet('a.example.org.', 'A', ['192.0.2.2']), recordSet('a.example.org.', 'MX', ['1 x.'])],
    );
    const batches = batchChanges(plan, { apex: APEX });
    expect(batches.map(actions)).toEqual([
      ['DELETE a.example.org. TXT', 'DELETE a.example.org. A', 'CREATE a.example.org. A', 'CREATE a.example.org. MX'],
    ]);
    expect(batches[0]).toMatchObject({ step: 'whole', changes: plan });
    expect(batches.some(hasTooLarge)).toBe(false);
  });

  test('gives no batch without changes', () => {
    expect(batchChanges([], { apex: APEX })).toEqual([]);
  });

  test('gives the apex batches of its own, and the SOA one as an UPSERT', () => {
    const plan = planChanges(
      [recordSet(APEX, 'SOA', ['ns. h. 1 2 3 4 5'])],
      [
        recordSet('b.example.org.', 'A', ['192.0.2.1']),
        recordSet(APEX, 'SOA', ['ns. h. 2 3 3 4 5']),
        recordSet(APEX, 'MX', ['1 x.']),
        recordSet('a.example.org.', 'A', ['192.0.2.1']),
      ],
    );
    expect(batchChanges(plan, { apex: APEX }).map(actions)).toEqual([
      ['CREATE example.org. MX'],
      ['CREATE a.example.org. A', 'CREATE b.example.org. A'],
      ['UPSERT example.org. SOA'],
    ]);
  });

  test('never deletes an SOA', () => {
    const plan = planChanges([recordSet(APEX, 'SOA', ['ns. h. 1 2 3 4 5'])], []);
    expect(() => batchChanges(plan, { apex: APEX })).toThrow('the SOA of example.org. cannot be deleted');
  });

  test('keeps all changes of one name together, also at the edge of a batch', () => {
    const many = Array.from({ length: 334 }, (_, index) => `n${index}.example.org.`);
    const wanted = many.flatMap((name) => ['A', 'TXT', 'MX'].map((type) => recordSet(name, type, [type])));
    const batches = batchChanges(planChanges([], wanted), { apex: APEX });
    expect(batches.map((batch) => batch.changes.length)).toEqual([999, 3]);
    for (const batch of batches) {
      for (const ofName of Map.groupBy(batch.changes, ({ name }) => name).values()) expect(ofName).toHaveLength(3);
    }
  });

  test('splits the record sets of a name if they do not fit into one batch', () => {
    const wanted = ['A', 'AAAA', 'TXT'].map((type) => recordSet('a.example.org.', type, texts(400, 10)));
    const batches = batchChanges(planChanges([], wanted), { apex: APEX });
    expect(batches.map(actions)).toEqual([
      ['CREATE a.example.org. A', 'CREATE a.example.org. TXT'],
      ['CREATE a.example.org. AAAA'],
    ]);
    expect(batches.every(({ step }) => step === 'whole')).toBe(true);
  });

  test('sends a record set whose old and new values do not fit in two: DELETE, then CREATE', () => {
    const plan = planChanges(
      [recordSet('a.example.org.', 'TXT', texts(100, 200))],
      [recordSet('a.example.org.', 'TXT', texts(100, 200, 'y'))],
    );
    const batches = batchChanges(plan, { apex: APEX });
    expect(batches.map((batch) => [batch.step, hasTooLarge(batch), ...actions(batch)])).toEqual([
      ['delete', false, 'DELETE a.example.org. TXT'],
      ['create', false, 'CREATE a.example.org. TXT'],
    ]);
    expect(batches.map((batch) => batch.changes)).toEqual([plan, plan]);
  });

  test('keeps a change to CNAME in order where it does not fit one batch', () => {
    const published = ['A', 'AAAA', 'TXT'].map((type) => recordSet('a.example.org.', type, texts(400, 10)));
    const batches = batchChanges(planChanges(published, [recordSet('a.example.org.', 'CNAME', ['b.'])]), {
      apex: APEX,
    });
    expect(batches.map((batch) => [batch.step, ...actions(batch)])).toEqual([
      ['delete', 'DELETE a.example.org. A', 'DELETE a.example.org. TXT'],
      ['delete', 'DELETE a.example.org. AAAA'],
      ['create', 'CREATE a.example.org. CNAME'],
    ]);
  });

  test('deletes nothing for values that fit into no batch', () => {
    const plan = planChanges(
      [recordSet('a.example.org.', 'TXT', ['"x"'])],
      [recordSet('a.example.org.', 'TXT', texts(400, 250))],
    );
    const batches = batchChanges(plan, { apex: APEX });
    expect(batches).toHaveLength(1);
    expect(batches[0]).toMatchObject({ step: 'whole', changes: plan });
    expect(batches.map(hasTooLarge)).toEqual([true]);
  });

  test('fills batches of 10,000 new records to 95 % and more', () => {
    const wanted = Array.from({ length: 10_000 }, (_, index) =>
      recordSet(`n${index}.example.org.`, 'A', ['192.0.2.1']),
    );
    expect(batchChanges(planChanges([], wanted), { apex: APEX })).toHaveLength(10);
  });
});

describe('unitOf()', () => {
  const alias: RecordSetContent = {
    kind: 'alias',
    alias: { hostedZoneId: 'Z', dnsName: 'x.', evaluateTargetHealth: false },
  };
  const rows: readonly [string, RecordSet[], RecordSet[], number, number][] = [
    ['a create', [], [recordSet('a.', 'A', ['192.0.2.1', '192.0.2.2'])], 2, 18],
    [
      'an update, both sides',
      [recordSet('a.', 'A', ['192.0.2.1'])],
      [recordSet('a.', 'A', ['192.0.2.1', '192.0.2.22'])],
      3,
      28,
    ],
    ['an alias', [], [{ ...recordSet('a.', 'A', []), content: alias }], 1, 0],
    ['an SOA, twice', [], [recordSet('a.', 'SOA', ['a. b. 1 2 3 4 5'])], 2, 30],
    ["escapes, in Route 53's form", [], [recordSet('a.', 'TXT', ['"\\195\\169"'])], 1, 10],
  ];
  test.each(rows)('%s', (_, published, desired, elements, characters) => {
    const [change] = planChanges(published, desired) as [Change];
    expect(unitOf([change])).toMatchObject({ elements, characters });
  });
});

describe('the laws of batches', () => {
  const shape = fc.record({
    name: fc.integer({ min: 0, max: 60 }).map((index) => (index === 0 ? APEX : `n${index}.${APEX}`)),
    type: fc.constantFrom('A', 'MX', 'TXT'),
    count: fc.constantFrom(1, 1, 2, 5, 40, 300, 400),
    length: fc.constantFrom(6, 10, 40, 75, 250),
  });
  const recordSets = fc
    .uniqueArray(shape, { maxLength: 60, selector: ({ name, type }) => `${name} ${type}` })
    .map((shapes) => shapes.map(({ name, type, count, length }) => recordSet(name, type, texts(count, length))));
  const plans = fc.tuple(recordSets, recordSets);

  test('every batch is within the limits, or has one record set that alone exceeds them', () => {
    fc.assert(
      fc.property(plans, ([published, desired]) => {
        for (const batch of batchChanges(planChanges(published, desired), { apex: APEX })) {
          expect(isWithin(measure(batch))).toBe(!hasTooLarge(batch));
          if (hasTooLarge(batch)) expect(batch.changes).toHaveLength(1);
          const atApex = batch.changes.filter(({ name }) => name === APEX).length;
          expect([0, batch.changes.length]).toContain(atApex);
        }
      }),
    );
  });

  test('all batches together lead from published to desired, and leave out no change', () => {
    fc.assert(
      fc.property(plans, ([published, desired]) => {
        const plan = planChanges(published, desired);
        const batches = batchChanges(plan, { apex: APEX });
        expect(new Set(batches.flatMap(({ changes }) => changes))).toEqual(new Set(plan));
        const wanted = new Map(desired.map((one) => [`${one.name} ${one.type}`, one.content]));
        expect(applyBatches(published, batches)).toEqual(wanted);
      }),
    );
  });

  test('batches of small changes are filled to 95 %, except the last', () => {
    const small = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 20 }), length: fc.integer({ min: 8, max: 60 }) }),
      { minLength: 300, maxLength: 900 },
    );
    fc.assert(
      fc.property(small, (shapes) => {
        const wanted = shapes.map(({ count, length }, index) =>
          recordSet(`n${index}.${APEX}`, 'TXT', texts(count, length)),
        );
        const batches = batchChanges(planChanges([], wanted), { apex: APEX });
        expect(batches.length).toBeGreaterThan(1);
        for (const batch of batches.slice(0, -1)) {
          const { elements, characters } = measure(batch);
          expect(Math.max(elements / BATCH_ELEMENTS_MAX, characters / BATCH_CHARACTERS_MAX)).toBeGreaterThanOrEqual(
            0.95,
          );
        }
      }),
      { numRuns: 30 },
    );
  });
});
