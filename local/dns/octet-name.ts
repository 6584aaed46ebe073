// Domain names of the local DNS server. A *key* is the text under which a name is looked up: lower case, with a
// trailing dot; octets outside printable ASCII, and a dot or backslash inside a label, are written `\ooo` (octal); `*`
// is plain. So Route 53's `\052.Example.ORG` and the labels `*`, `example`, `org` on the wire have the same key. Labels
// are octets, one character each (latin1). This file uses nothing of lib/dns, so that the double cannot share a mistake
// with the code under test.

const LABEL_OCTETS_MAX = 63; // RFC 1035 §2.3.4
const NAME_OCTETS_MAX = 255; // RFC 1035 §2.3.4, on the wire, with the root's own octet
const POINTER_OFFSET_MAX = 0x3fff; // RFC 1035 §4.1.4: fourteen bits

/** The labels of a name as Route 53 writes it (`\ooo` octal, trailing dot optional). Throws if it is not a name. */
function labelsOfRoute53Name(text: string): string[] {
  const body = text.endsWith('.') ? text.slice(0, -1) : text;
  if (body === '') return [];
  const labels = body.split('.').map((label) => unescapeOctal(label));
  checkLengths(labels, text);
  return labels;
}

/** The key of labels, leftmost first. */
export function keyOfLabels(labels: readonly string[]): string {
  return `${labels.map(escapeLabel).join('.')}.`;
}

/** The key of a name as Route 53 writes it. Throws if it is not a name. */
export function keyOfRoute53Name(text: string): string {
  return keyOfLabels(labelsOfRoute53Name(text));
}

/** The key one label up, or null for the root. */
export function parentKey(key: string): string | null {
  if (key === '.') return null;
  return key.slice(key.indexOf('.') + 1) || '.';
}

/** The key of `label` below `key`. */
export function childKey(label: string, key: string): string {
  return key === '.' ? `${label}.` : `${label}.${key}`;
}

/** The wire form of labels, not compressed. */
function encodeLabels(labels: readonly string[]): Buffer {
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...parts, Buffer.from([0])]);
}

/** The wire form of a name in rdata: not compressed, as RFC 3597 §4 requires for all newer types. */
export function encodeRoute53Name(text: string): Buffer {
  return encodeLabels(labelsOfRoute53Name(text));
}

/**
 * The wire form of an owner name at `offset` of a message. `known` has the offsets of the names written so far, and the
 * new ones are added to it. It ignores case, so a name comes back as the question spelt it.
 */
export function encodeOwner(key: string, offset: number, known: Map<string, number>): Buffer {
  const parts: Buffer[] = [];
  let at = offset;
  for (let rest: string | null = key; rest !== null && rest !== '.'; rest = parentKey(rest)) {
    const seen = known.get(rest);
    if (seen !== undefined) return Buffer.concat([...parts, Buffer.from([0xc0 | (seen >> 8), seen & 0xff])]);
    if (at <= POINTER_OFFSET_MAX) known.set(rest, at);
    const label = unescapeOctal(rest.slice(0, rest.indexOf('.')));
    parts.push(Buffer.from([label.length]), Buffer.from(label, 'latin1'));
    at += label.length + 1;
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}

function escapeLabel(label: string): string {
  return label
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[^!-~]|[.\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function unescapeOctal(label: string): string {
  return label.replace(/\\([0-3][0-7]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function checkLengths(labels: readonly string[], text: string): void {
  const octets = labels.reduce((sum, label) => sum + label.length + 1, 1);
  if (octets > NAME_OCTETS_MAX) throw new Error(`Cannot read name ${JSON.stringify(text)}: longer than 255 octets`);
  for (const label of labels) {
    if (label === '') throw new Error(`Cannot read name ${JSON.stringify(text)}: a label is empty`);
    if (label.length > LABEL_OCTETS_MAX || /[^\0-\xff]/.test(label)) {
      throw new Error(`Cannot read name ${JSON.stringify(text)}: a label is longer than 63 octets, or no octets`);
    }
  }
}
