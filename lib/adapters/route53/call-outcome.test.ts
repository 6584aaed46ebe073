import { describe, expect, it } from 'vitest';
import { splitMessages } from './call-outcome.ts';

describe('splitMessages()', () => {
  const EXISTS = "Tried to create resource record set [name='a.example.', type='A'] but it already exists";
  const DUPLICATE = "Duplicate Resource Record: '192.0.2.1'";
  it.each([
    ['one', EXISTS, [EXISTS]],
    ['one in brackets', `[${EXISTS}]`, [EXISTS]],
    ['two', `[${EXISTS}, ${DUPLICATE}]`, [EXISTS, DUPLICATE]],
    ['cut off', `Message was too long, it was truncated. [${EXISTS}, Tried to cre`, [`${EXISTS}, Tried to cre`]],
    [
      'a value with a comma',
      `[Invalid Resource Record: FATAL problem: X encountered with '"a, b"', ${EXISTS}]`,
      [`Invalid Resource Record: FATAL problem: X encountered with '"a, b"'`, EXISTS],
    ],
    ['nothing', '', []],
  ])('%s', (_, text, messages) => {
    expect(splitMessages(text)).toEqual(messages);
  });
});
