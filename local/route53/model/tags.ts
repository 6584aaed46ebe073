// Tags of a hosted zone or a health check: added and removed in one call, at most 50, with Route 53's limits on keys
// and values. Source: API reference ChangeTagsForResource and Tag. Last verified 2026-11-21.
import { invalidInput } from '../values/route53-error.ts';

const TAGS_MAX = 50;
const TAGS_PER_CALL_MAX = 10;
const KEY_CHARACTERS_MAX = 128;
const VALUE_CHARACTERS_MAX = 256;

export type TagChange = {
  readonly add: readonly { readonly key: string; readonly value: string }[];
  readonly removeKeys: readonly string[];
};

/** The tags after a change, or InvalidInput. */
export function applyTags(tags: Readonly<Record<string, string>>, change: TagChange): Record<string, string> {
  const { add, removeKeys } = change;
  if (add.length === 0 && removeKeys.length === 0) throw invalidInput('No tags to add or to remove were given');
  if (add.length > TAGS_PER_CALL_MAX || removeKeys.length > TAGS_PER_CALL_MAX) {
    throw invalidInput(`At most ${TAGS_PER_CALL_MAX} tags can be added and removed in one request`);
  }
  const after = new Map(Object.entries(tags));
  for (const key of removeKeys) after.delete(key);
  for (const { key, value } of add) {
    if (key === '' || key.length > KEY_CHARACTERS_MAX) throw invalidInput(`The tag key is not valid: '${key}'`);
    if (value.length > VALUE_CHARACTERS_MAX) throw invalidInput(`The value of tag '${key}' is too long`);
    if (removeKeys.includes(key)) throw invalidInput(`The tag '${key}' is both added and removed`);
    after.set(key, value);
  }
  if (after.size > TAGS_MAX) throw invalidInput(`A resource can have at most ${TAGS_MAX} tags`);
  return Object.fromEntries(after);
}
