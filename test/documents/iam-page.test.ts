// The policy of docs/iam.md for the commands has every action of AWS that they can call, and no other: the commands of
// the SDK in all files that plan, apply, import, migrate and explain can load.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ENTRIES = ['cli/run/plan-and-apply.ts', 'cli/account/run-explain.ts', 'cli/account/run-import.ts'];

const SERVICES: Readonly<Record<string, string>> = {
  'client-route-53': 'route53',
  'client-dynamodb': 'dynamodb',
  'lib-dynamodb': 'dynamodb',
  'client-secrets-manager': 'secretsmanager',
};
/** The actions of a command that is named otherwise. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  Get: ['GetItem'],
  BatchGet: ['BatchGetItem'],
  Put: ['PutItem'],
  Delete: ['DeleteItem'],
  TransactWrite: ['PutItem'],
  BatchExecuteStatement: ['PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'],
};

/** The texts of these files and of all that they import, also when they run. */
function loaded(entries: readonly string[]): readonly string[] {
  const texts = new Map<string, string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (texts.has(file)) continue;
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    texts.set(file, text);
    const folder = path.dirname(file);
    for (const [, to = ''] of text.matchAll(/(?:from |import\()'(\.[^']+\.ts)'/g)) open.push(path.join(folder, to));
  }
  return [...texts.values()];
}

function actionsIn(text: string): readonly string[] {
  const imports = [...text.matchAll(/^import \{([^}]*)\} from '@aws-sdk\/([\w-]+)'/gm)];
  const called = imports.flatMap(([, names = '', from = '']) =>
    [...names.matchAll(/\b(\w+)Command\b/g)]
      .map(([, name = '']) => name)
      .filter((name) => text.includes(`new ${name}Command(`))
      .flatMap((name) => (ACTIONS[name] ?? [name]).map((action) => `${SERVICES[from]}:${action}`)),
  );
  return text.includes("Action: 'AssumeRole'") ? [...called, 'sts:AssumeRole'] : called;
}

test('the policy for the commands has what they can call, and no more', () => {
  const section = readFileSync(path.join(ROOT, 'docs/iam.md'), 'utf8').split('## What the commands need\n')[1] ?? '';
  const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(section) ?? [];
  const { Statement } = JSON.parse(json) as { readonly Statement: readonly { readonly Action: string | string[] }[] };
  const granted = Statement.flatMap(({ Action }) => Action);
  expect(granted.toSorted()).toEqual([...new Set(loaded(ENTRIES).flatMap(actionsIn))].toSorted());
});
