// Validates a fully qualified domain name as the API server does (k8s.io/apimachinery, IsFullyQualifiedDomainName):
// lower case, at least two labels, and an optional final dot.
import { invalid, required } from './field-errors.ts';

const NAME_CHARACTERS_MAX = 253;
const LABEL_CHARACTERS_MAX = 63;
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const MADE_OF_NAME = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;

/** The problem of a name, at most one. */
export function domainNameProblems(path: string, text: string): readonly string[] {
  if (text === '') return [required(path, '')];
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const labels = name.split('.');
  const ofName = [
    ...(name.length > NAME_CHARACTERS_MAX ? [`must be no more than ${NAME_CHARACTERS_MAX} characters`] : []),
    ...(labels.every(hasLabelCharacters) ? [] : [MADE_OF_NAME]),
  ];
  if (ofName.length > 0) return [invalid(path, name, ofName.join(','))];
  if (labels.length < 2)
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const long = labels.find((label) => label.length > LABEL_CHARACTERS_MAX);
  return long === undefined ? [] : [invalid(path, long, `must be no more than ${LABEL_CHARACTERS_MAX} characters`)];
}

/** Checks characters only: a label that is too long has another message. */
function hasLabelCharacters(label: string): boolean {
  return /^[a-z0-9-]+$/.test(label) && !label.startsWith('-') && !label.endsWith('-');
}
