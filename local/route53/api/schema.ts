// Reads elements by a schema: which children may be there, which must, how long a text may be. Anything else is
// InvalidInput "Invalid XML ; …", in the words of the XML validator that AWS uses.
import { invalidXml } from '../values/route53-error.ts';
import type { XmlElement } from './xml.ts';

const SAX = 'javax.xml.stream.XMLStreamException: org.xml.sax.SAXParseException; ';

/** The children by name. Refuses a child that comes twice or is not `allowed`, and missing `required` ones. */
export function readChildren(
  element: XmlElement,
  required: readonly string[],
  optional: readonly string[] = [],
): ReadonlyMap<string, XmlElement> {
  const children = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (!required.includes(child.name) && !optional.includes(child.name)) {
      throw refuse(`cvc-complex-type.2.4.a: Invalid content was found starting with element '${child.name}'.`);
    }
    if (children.has(child.name)) throw refuse(`cvc-complex-type.2.4.d: Element '${child.name}' is given twice.`);
    children.set(child.name, child);
  }
  const missing = required.filter((name) => !children.has(name));
  if (missing.length > 0) throw refuse(incomplete(element.name, missing));
  return children;
}

/** A child that readChildren() required. */
export function requiredChild(children: ReadonlyMap<string, XmlElement>, name: string): XmlElement {
  const child = children.get(name);
  if (child === undefined) throw new Error(`Element ${name} was required and is not there`);
  return child;
}

/** The children of a list element, all of one name, at least one. */
export function readList(element: XmlElement, itemName: string): readonly XmlElement[] {
  const other = element.children.find((child) => child.name !== itemName);
  if (other !== undefined) {
    throw refuse(`cvc-complex-type.2.4.a: Invalid content was found starting with element '${other.name}'.`);
  }
  if (element.children.length === 0) throw refuse(incomplete(element.name, [itemName]));
  return element.children;
}

/** The text of an element, of `least` to `most` characters. */
export function readText(element: XmlElement, least: number, most: number): string {
  if (element.children.length > 0) throw refuse(`cvc-type.3.1.2: Element '${element.name}' is a simple type.`);
  const { text } = element;
  if (text.length < least) {
    throw refuse(
      `cvc-minLength-valid: Value '${text}' with length = '${text.length}' is not facet-valid with respect to minLength '${least}'`,
    );
  }
  if (text.length > most) {
    throw refuse(
      `cvc-maxLength-valid: Value with length = '${text.length}' is not facet-valid with respect to maxLength '${most}'`,
    );
  }
  return text;
}

/** A text that must be one of `allowed`. */
export function readOneOf<Allowed extends string>(element: XmlElement, allowed: readonly Allowed[]): Allowed {
  const found = allowed.find((one) => one === element.text);
  if (found === undefined || element.children.length > 0) {
    const list = allowed.join(', ');
    throw refuse(
      `cvc-enumeration-valid: Value '${element.text}' is not facet-valid with respect to enumeration '[${list}]'. It must be a value from the enumeration.`,
    );
  }
  return found;
}

/** A text that must match `pattern`. */
export function readMatching(element: XmlElement, pattern: RegExp): string {
  const { text } = element;
  if (element.children.length === 0 && pattern.test(text)) return text;
  throw refuse(`cvc-pattern-valid: Value '${text}' is not facet-valid with respect to pattern '${pattern.source}'`);
}

/** A whole number from 0 to `most`. */
export function readInteger(element: XmlElement, most: number): number {
  return readWithin(element, 0, most);
}

/** A whole number from `least` to `most`. */
export function readWithin(element: XmlElement, least: number, most: number): number {
  const { text } = element;
  if (!/^-?\d{1,18}$/.test(text))
    throw refuse(`cvc-datatype-valid.1.2.1: '${text}' is not a valid value for 'integer'.`);
  const value = Number(text);
  if (value < least)
    throw refuse(`cvc-minInclusive-valid: Value '${text}' is not facet-valid with respect to minInclusive '${least}'`);
  if (value > most) {
    throw refuse(`cvc-maxInclusive-valid: Value '${text}' is not facet-valid with respect to maxInclusive '${most}'`);
  }
  return value;
}

/** `true` or `false`. */
export function readBoolean(element: XmlElement): boolean {
  if (element.text !== 'true' && element.text !== 'false') {
    throw refuse(`cvc-datatype-valid.1.2.1: '${element.text}' is not a valid value for 'boolean'.`);
  }
  return element.text === 'true';
}

function incomplete(name: string, missing: readonly string[]): string {
  const list = missing.map((one) => `"https://route53.amazonaws.com/doc/2013-04-01/":${one}`).join(', ');
  return `cvc-complex-type.2.4.b: The content of element '${name}' is not complete. One of '{${list}}' is expected.`;
}

function refuse(detail: string): Error {
  return invalidXml(`${SAX}${detail}`);
}
