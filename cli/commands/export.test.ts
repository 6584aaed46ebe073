// `zone53 export` as a command.
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../test/support/run-here.ts';

const folder = path.join(import.meta.dirname, '../../examples/inside-and-outside');
const input = ['-f', folder, '--config', path.join(folder, 'zone53.yaml')];

test.each([[], ['--view', 'internal'], ['--view', 'public']])(
  'prints what render -o zonefile %s %s prints',
  async (...view) => {
    const { code, out } = await runHere('export', ...input, ...view);
    const rendered = await runHere('render', ...input, '-o', 'zonefile', ...view);
    expect({ code, out }).toEqual({ code: rendered.code, out: rendered.out });
    const zones = [...out.matchAll(/^; Zone platform\/(\w+)/gm)].map(([, name]) => name);
    expect(zones).toEqual({ internal: ['inside'], public: ['outside'] }[view[1] ?? ''] ?? ['inside', 'outside']);
  },
);
