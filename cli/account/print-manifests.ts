// Prints objects as YAML, byte for byte the same for the same objects: block style, and strings in JSON quotes, which
// YAML reads the same way. Record sets may contain any text, so no value may be read as a number or a boolean.

/** All objects as YAML documents, each after `---`, with comments before those that have `remarks`. */
export function printManifests(
  manifests: readonly object[],
  remarks: ReadonlyMap<object, readonly string[]> = new Map(),
): string {
  const comments = (manifest: object) => (remarks.get(manifest) ?? []).map((text) => `# ${oneLine(text)}\n`).join('');
  return manifests.map((manifest) => `---\n${comments(manifest)}${block(manifest, '')}`).join('');
}

/** Without what ends a line of YAML, or what a terminal obeys. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

function block(value: object, indent: string): string {
  return Object.entries(value)
    .filter(([, of]) => of !== undefined)
    .map(([key, of]) => `${indent}${scalarKey(key)}:${after(of, indent)}`)
    .join('');
}

function after(value: unknown, indent: string): string {
  if (Array.isArray(value)) return `\n${value.map((item) => listItem(item, indent)).join('')}`;
  if (typeof value === 'object' && value !== null) return `\n${block(value, `${indent}  `)}`;
  return ` ${scalar(value)}\n`;
}

function listItem(item: unknown, indent: string): string {
  if (typeof item !== 'object' || item === null) return `${indent}- ${scalar(item)}\n`;
  return `${indent}- ${block(item, `${indent}  `).slice(indent.length + 2)}`;
}

function scalarKey(key: string): string {
  return /^[A-Za-z][A-Za-z0-9./-]*$/.test(key) ? key : JSON.stringify(key);
}

/** Plain words, such as those of the schema, have no quotes. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain =
    /^[A-Za-z](?:[A-Za-z0-9./-]*[A-Za-z0-9.])?$/.test(value) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
