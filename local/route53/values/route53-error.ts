// A refusal of Route 53: a code, an HTTP status, and one message, or for InvalidChangeBatch a list of messages, which
// the answer shows as `[m1, m2]`. Every refusal of the local Route 53 is one of these. Any other error is a bug and
// becomes InternalFailure.

type Entry = Readonly<Record<string, string>>;
type Details = Readonly<Record<string, Readonly<Record<string, readonly Entry[]>>>>;

/** A refusal with Route 53's own code and HTTP status. */
export class Route53Error extends Error {
  readonly code: string;
  readonly status: number;
  /** The single messages of an InvalidChangeBatch, in the order of the changes; null for every other code. */
  readonly messages: readonly string[] | null;
  /** Further elements of the answer, such as the entries that failed. */
  readonly details: Details;

  constructor(
    code: string,
    status: number,
    message: string,
    messages: readonly string[] | null = null,
    details: Details = {},
  ) {
    super(message);
    this.name = 'Route53Error';
    this.code = code;
    this.status = status;
    this.messages = messages;
    this.details = details;
  }
}

/** InvalidInput, HTTP 400. */
export function invalidInput(message: string): Route53Error {
  return new Route53Error('InvalidInput', 400, message);
}

/** InvalidInput for a body that does not follow the schema. */
export function invalidXml(detail: string): Route53Error {
  return invalidInput(`Invalid XML ; ${detail}`);
}

/** InvalidChangeBatch, HTTP 400, with every message of the batch. */
export function invalidChangeBatch(messages: readonly string[]): Route53Error {
  return new Route53Error('InvalidChangeBatch', 400, `[${messages.join(', ')}]`, messages);
}

/** NoSuchHostedZone, HTTP 404. */
export function noSuchHostedZone(id: string): Route53Error {
  return new Route53Error('NoSuchHostedZone', 404, `No hosted zone found with ID: ${id}`);
}
