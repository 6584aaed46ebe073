// Reads the changes in the XML of ChangeResourceRecordSets, just enough to tell which A records exist after the batch.

export type SeenChange = {
  readonly action: string;
  /** With its trailing dot. */
  readonly name: string;
  readonly type: string;
  readonly values: readonly string[];
};

/** The changes of a request's body, in their order. The members of a change may come in any order. */
export function readChanges(body: string): SeenChange[] {
  return body
    .split('<Change>')
    .slice(1)
    .map((text) => ({
      action: textOf(text, 'Action'),
      name: textOf(text, 'Name').replace(/\.?$/, '.'),
      type: textOf(text, 'Type'),
      values: [...text.matchAll(/<Value>([^<]*)<\/Value>/g)].map((match) => match[1] ?? ''),
    }));
}

/** Applies accepted changes to `standing`: A records by name, their values joined. */
export function playChanges(standing: Map<string, string>, changes: readonly SeenChange[]): void {
  for (const { action, name, type, values } of changes) {
    if (type !== 'A') continue;
    if (action === 'DELETE') standing.delete(name);
    else standing.set(name, values.join(','));
  }
}

function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '';
}
