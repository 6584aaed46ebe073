// The table of sources: every kind of object that yields endpoints, one row each. To add a kind, write its source beside the
// others (lib/sources/<name>/) and give it a row here. Nothing else knows the kinds.
import { kindsOf, type Source } from '../objects/source.ts';
import { RECORD } from './kubizone/parse-record.ts';

export const SOURCES: readonly Source[] = [RECORD];

/** Every kind that is read. */
export const KINDS = kindsOf(SOURCES);
