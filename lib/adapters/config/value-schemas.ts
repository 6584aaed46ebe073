// Schemas of values that several keys of a configuration have. Names and ids are turned into their canonical form.
import * as z from 'zod';
import { parseName } from '../../dns/names/name.ts';
import { parseRootPattern } from '../../dns/names/pattern.ts';
import { isNamespace } from '../../objects/object-ref.ts';

export const flag = z.boolean('write true or false');

/** A part of a whole. */
export const share = z
  .number('write a share from 0 to 1')
  .min(0, 'write a share from 0 to 1')
  .max(1, 'write a share from 0 to 1');

/** A text that is not empty. */
export const text = (what: string) => z.string(`write ${what}`).min(1, `write ${what}`);

/** A region of AWS. */
export const regionName = text('a region, such as eu-west-1').regex(
  /^[a-z]{2,4}(-[a-z]+)+-\d$/,
  'write a region, such as eu-west-1',
);

/** A list of texts that are not empty. */
export const texts = (what: string) => z.array(text(`a list of ${what}`), `write a list of ${what}`);

/** Namespaces. A name that none can have is an error: it would silently match nothing. */
export const namespaces = z.array(
  text('the name of a namespace').refine(isNamespace, 'no namespace can have this name'),
  'write a list of namespaces',
);

export const zoneName = z.string('write a name such as example.org.').transform((written, context) => {
  const parsed = parseName(written);
  if (parsed.ok) return parsed.name;
  context.addIssue({ code: 'custom', message: parsed.problems.join('; ') });
  return z.NEVER;
});

export const rootPattern = z
  .string('write a name or pattern such as example.org. or *.example.org.')
  .transform((written, context) => {
    const parsed = parseRootPattern(written);
    if (parsed.ok) return parsed.pattern;
    context.addIssue({ code: 'custom', message: parsed.problems.join('; ') });
    return z.NEVER;
  });

const HOSTED_ZONE_ID = /^(?:\/hostedzone\/)?([A-Za-z0-9]{1,32})$/;
export const hostedZoneId = z
  .string('write the id of a hosted zone, such as Z0123456789ABCDEFGHIJ')
  .regex(HOSTED_ZONE_ID, 'write the id of a hosted zone, such as Z0123456789ABCDEFGHIJ')
  .transform((written) => HOSTED_ZONE_ID.exec(written)?.[1] ?? written);
