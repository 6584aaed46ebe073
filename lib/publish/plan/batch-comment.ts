// The comment of a batch: which run wrote it, and which events caused it. CloudTrail shows it.
import { nameOf, type RunNames } from './names.ts';

/** Route 53's limit for the comment of a batch (API_ChangeBatch). Last verified 2026-11-21. */
const COMMENT_CHARACTERS_MAX = 256;

/** Builds the comment, with as many events as fit. `names`: the names of the batch. */
export function batchComment(
  { zone, epoch }: { readonly zone: string; readonly epoch: number },
  known: RunNames,
  names: readonly string[],
): string {
  const causes = names.map((name) => nameOf(known, name).cause?.correlationId);
  const ids = [...new Set(causes.filter((id) => id !== undefined))];
  let comment = `zone53 ${zone} epoch ${epoch}`.slice(0, COMMENT_CHARACTERS_MAX);
  for (const [index, id] of ids.entries()) {
    const longer = `${comment}${index === 0 ? ' for' : ','} ${id}`;
    if (longer.length > COMMENT_CHARACTERS_MAX) break;
    comment = longer;
  }
  return comment;
}
