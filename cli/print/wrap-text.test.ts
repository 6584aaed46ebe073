import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { colourPaint } from './terminal-text.ts';
import { widthOf, wrapText } from './wrap-text.ts';

const HEX = 'a'.repeat(64);

describe('wrapText()', () => {
  test('breaks between words, and indents what follows by two more, or to behind the sign', () => {
    expect(wrapText('    no rule of this Zone allows that name', 30)).toBe(
      '    no rule of this Zone\n      allows that name',
    );
    expect(wrapText('! 5 record sets of 8 would be deleted', 26)).toBe('! 5 record sets of 8 would\n  be deleted');
    expect(wrapText('-     one two three four five six', 26)).toBe('-     one two three four\n      five six');
  });

  test.each([
    ['a digest', `the digest ${HEX} is that of all`, HEX],
    [
      'an annotation with its value',
      `please annotate it with zone53.dev/takeover: "true" then`,
      'zone53.dev/takeover: "true"',
    ],
    ['a flag with its value', `run zone53 apply now, with the flag --acknowledge ${HEX}`, `--acknowledge ${HEX}`],
    [
      'a command',
      '    kubectl annotate zone rep -n p zone53.dev/acknowledge-plan=abc',
      'kubectl annotate zone rep -n p zone53.dev',
    ],
  ])('keeps %s in one piece', (_, text, whole) => {
    for (const width of [24, 30, 40])
      expect(
        wrapText(text, width)
          .split('\n')
          .some((line) => line.includes(whole)),
      ).toBe(true);
  });

  test('gives a command behind other text a line of its own', () => {
    const line = 'Route 53  http://127.0.0.1:5380   aws --endpoint-url http://127.0.0.1:5380 route53 list-hosted-zones';
    expect(wrapText(line, 60)).toBe(
      'Route 53  http://127.0.0.1:5380\n    aws --endpoint-url http://127.0.0.1:5380 route53 list-hosted-zones',
    );
    expect(wrapText(line, 120)).toBe(line);
  });

  test('counts no colours, and leaves a pipe and a very narrow terminal alone', () => {
    const painted = `${colourPaint('yellow', 'one two three')} four five six seven`;
    expect(wrapText(painted, 28)).toBe(`${colourPaint('yellow', 'one two three')} four five six\n  seven`);
    expect(wrapText('one two three four five six seven', null)).toBe('one two three four five six seven');
    expect(wrapText('one two three four five six seven', 10)).toBe('one two three four five six seven');
  });

  test('changes nothing but white space, and makes no line with a place to break too wide', () => {
    const word = fc.stringMatching(/^[a-z.]{1,12}$/);
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 40 }),
        fc.nat(6),
        fc.integer({ min: 24, max: 90 }),
        (words, indent, width) => {
          const text = ' '.repeat(indent) + words.join(' ');
          const wrapped = wrapText(text, width);
          expect(wrapped.split(/\s+/).filter(Boolean)).toEqual(words);
          for (const line of wrapped.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
