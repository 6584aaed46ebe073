// Describes a zone file (RFC 1035 §5.1) as objects: `zone53 import FILE`. Each problem begins with file and line. Pure.
import type { Origin } from '../dns/master-file/complete-name.ts';
import { readZoneFile } from '../dns/master-file/read-zone-file.ts';
import { recordSetId } from '../dns/record-set.ts';
import { type DescribedOwn, type DescribeOptions, describeOwn } from './describe-own.ts';

/** What was imported. `apex` null: the file does not say which zone it is, so there is no object. */
export type ImportedFile = DescribedOwn & { readonly apex: string | null };

const NOTHING = { manifests: [], remarks: new Map(), others: { writers: new Map(), owners: [], mixed: [] } };
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** `file`: its name in messages. `origin`: until the file has `$ORIGIN`, and the zone if it has no SOA. */
export function importZoneFile(file: string, bytes: Buffer, origin: Origin, options: DescribeOptions): ImportedFile {
  if (bytes[0] === 0xff || bytes[0] === 0xfe) {
    const problem = `${file}:1: it seems to be UTF-16, which no zone file is; save it as UTF-8`;
    return { apex: null, ...NOTHING, problems: [problem] };
  }
  // Latin-1 has a character for each octet, and a zone file is made of octets.
  const text = bytes.toString('latin1', bytes.subarray(0, 3).equals(UTF8_MARK) ? 3 : 0);
  const { apex, recordSets, lines, problems } = readZoneFile(text, origin);
  const told = problems.map(({ line, message }) => `${file}:${line}: ${message}`);
  if (apex === null) return { apex, ...NOTHING, problems: told };
  const placeOf = (set: (typeof recordSets)[number]) => `${file}:${lines.get(recordSetId(set)) ?? 1}: `;
  const described = describeOwn(apex, recordSets, options, { hasSoa: true, placeOf });
  return { apex, ...described, problems: [...told, ...described.problems] };
}
