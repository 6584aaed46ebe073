// Reads and writes the part of REST-XML that Route 53 needs: elements and text, no attributes but the namespace.
// fast-xml-parser parses, with its entity handling off (a DOCTYPE is refused). The five XML entities and character
// references are decoded here, so that a value arrives exactly as it was sent.
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { invalidXml } from '../values/route53-error.ts';

const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/';

export type XmlElement = {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The text directly inside, unchanged; '' if there is none. */
  readonly text: string;
};

type ParsedNode = { readonly [name: string]: unknown };

const PARSER = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  removeNSPrefix: true,
  processEntities: false,
});
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads a document with the given root element, or throws InvalidInput. */
export function readXml(text: string, rootName: string): XmlElement {
  const verdict = XMLValidator.validate(text);
  if (verdict !== true) {
    const { line, col, msg } = verdict.err;
    throw invalidXml(`org.xml.sax.SAXParseException; lineNumber: ${line}; columnNumber: ${col ?? 1}; ${msg}`);
  }
  if (/<!DOCTYPE/i.test(text)) throw invalidXml('DOCTYPE is disallowed');
  const roots = parseNodes(text)
    .flatMap((node) => readElement(node))
    .filter((element) => element.name !== '?xml');
  const [root] = roots;
  if (roots.length !== 1 || root?.name !== rootName) {
    throw invalidXml(`cvc-elt.1: Cannot find the declaration of element '${root?.name ?? ''}', expected ${rootName}`);
  }
  return root;
}

function parseNodes(text: string): ParsedNode[] {
  try {
    return PARSER.parse(text) as ParsedNode[];
  } catch (error) {
    throw invalidXml(error instanceof Error ? error.message : String(error));
  }
}

function readElement(node: ParsedNode): XmlElement[] {
  const name = Object.keys(node).find((key) => key !== '#text' && key !== ':@');
  if (name === undefined) return [];
  const inside = node[name] as ParsedNode[];
  const text = inside.map((child) => (typeof child['#text'] === 'string' ? child['#text'] : '')).join('');
  return [{ name, children: inside.flatMap(readElement), text: decodeEntities(text) }];
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The content of an element to write: text, or elements by name. A list writes its element once for each item. */
export type XmlContent =
  | string
  | number
  | boolean
  | null
  | readonly XmlContent[]
  | { readonly [element: string]: XmlContent };

/** A document with the namespace on its root. Elements that are null are left out. */
export function writeXml(rootName: string, content: XmlContent): string {
  const body = writeContent(content);
  return `<?xml version="1.0"?>\n<${rootName} xmlns="${NAMESPACE}">${body}</${rootName}>`;
}

function writeContent(content: XmlContent): string {
  if (content === null) return '';
  if (typeof content !== 'object') return escapeText(String(content));
  return Object.entries(content)
    .map(([name, inside]) => writeElement(name, inside as XmlContent))
    .join('');
}

function writeElement(name: string, content: XmlContent): string {
  if (content === null) return '';
  if (Array.isArray(content)) return content.map((item: XmlContent) => writeElement(name, item)).join('');
  return `<${name}>${writeContent(content)}</${name}>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
}
