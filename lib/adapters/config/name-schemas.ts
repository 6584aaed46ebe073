// Schemas for names and ids in a configuration, which they turn into their canonical form.
import * as z from 'zod';
import { parseName } from '../../dns/names/name.ts';
import { parseRootPattern } from '../../dns/names/pattern.ts';

/** A text that is not empty. */
export const text = (what: string) => z.string(`write ${what}`).min(1, `write ${what}`);

export const zoneName = z.string('write a name such as example.org.').transform((text, context) => {
  const parsed = parseName(text);
  if (parsed.ok) return parsed.name;
  context.addIssue({ code: 'custom', message: parsed.problems.join('; ') });
  return z.NEVER;
});

export const rootPattern = z
  .string('write a name or pattern such as example.org. or *.example.org.')
  .transform((text, context) => {
    const parsed = parseRootPattern(text);
    if (parsed.ok) return parsed.pattern;
    context.addIssue({ code: 'custom', message: parsed.problems.join('; ') });
    return z.NEVER;
  });

const HOSTED_ZONE_ID = /^(?:\/hostedzone\/)?([A-Za-z0-9]{1,32})$/;
export const hostedZoneId = z
  .string('write the id of a hosted zone, such as Z0123456789ABCDEFGHIJ')
  .regex(HOSTED_ZONE_ID, 'write the id of a hosted zone, such as Z0123456789ABCDEFGHIJ')
  .transform((text) => HOSTED_ZONE_ID.exec(text)?.[1] ?? text);
