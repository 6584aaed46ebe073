// Entries of the history, the newest first, each with a diff of two lines.
import type { JSX } from 'preact';
import type { ChangeAnswer, EntryAnswer } from '../cli/console/answers.ts';
import { shownText, timeText } from './shown-text.ts';
import { Ago, contentText, Message, NameLink, Text, typeText } from './widgets.tsx';

type Sides = Pick<EntryAnswer, 'before' | 'after'>;

/** From what to what; one line where both are the same. */
function Diff({ before, after }: Sides): JSX.Element | null {
  if (before === null && after === null) return null;
  const [was, is] = [contentText(before), contentText(after)];
  if (was === is) return <pre class="diff">{`  ${shownText(is)}`}</pre>;
  return (
    <pre class="diff">
      {before !== null && <del>{`- ${shownText(was)}`}</del>}
      {after !== null && <ins>{`+ ${shownText(is)}`}</ins>}
    </pre>
  );
}

/** `ofName`: all entries are of the name that the screen is about, so they do not repeat it. */
export function Entries({
  entries,
  ofName = false,
}: {
  readonly entries: readonly EntryAnswer[];
  readonly ofName?: boolean;
}): JSX.Element {
  return (
    <ol class="entries">
      {entries.map((entry) => (
        <Entry key={entryKey(entry)} entry={entry} ofName={ofName} />
      ))}
    </ol>
  );
}

function entryKey({ at, batch, hostedZone, name, type, setIdentifier, action }: EntryAnswer): string {
  return [at, batch, hostedZone.id, name, type, setIdentifier, action].join(' ');
}

function Entry({ entry, ofName }: { readonly entry: EntryAnswer; readonly ofName: boolean }): JSX.Element {
  const { at, action, name, type, setIdentifier, before, after, objects, message } = entry;
  return (
    <li {...(ofName ? {} : { 'data-name': name })}>
      <p>
        <time dateTime={shownText(at)}>{timeText(at)}</time>{' '}
        <span class="dim">
          (<Ago at={at} />)
        </span>{' '}
        <strong class={`action ${shownText(action)}`}>{shownText(action)}</strong> {!ofName && <NameLink name={name} />}{' '}
        <Text of={typeText(type, setIdentifier)} />{' '}
        <span class="dim">
          <Text of={objects.join(', ')} />
        </span>
      </p>
      <Diff before={before} after={after} />
      <p class="dim">
        <Text of={causeText(entry)} />
      </p>
      <Message text={message} />
    </li>
  );
}

/** Why, by whom and where. A user is what the API server said. */
function causeText({ cause, changeId, hostedZone, cluster, batch }: EntryAnswer): string {
  return [
    `by ${cause.kind}`,
    ...(cause.user === null ? [] : [`user ${cause.user} (says the API server)`]),
    ...(cause.digest === null ? [] : [`digest ${cause.digest}`]),
    `hosted zone ${hostedZone.name} ${hostedZone.id}`,
    `cluster ${cluster}`,
    batch,
    ...(changeId === null ? [] : [`change ${changeId}`]),
  ].join(', ');
}

/** Changes that are still to be made, with why they wait. */
export function Changes({ changes }: { readonly changes: readonly ChangeAnswer[] }): JSX.Element {
  return (
    <ul class="entries">
      {changes.map(({ action, type, setIdentifier, before, after, objects, message = '' }) => (
        <li key={`${action} ${type} ${setIdentifier}`}>
          <p>
            <strong class={`action ${shownText(action)}`}>{shownText(action)}</strong>{' '}
            <Text of={typeText(type, setIdentifier)} />{' '}
            <span class="dim">
              <Text of={objects.join(', ')} />
            </span>
          </p>
          <Diff before={before} after={after} />
          <Message text={message} />
        </li>
      ))}
    </ul>
  );
}
