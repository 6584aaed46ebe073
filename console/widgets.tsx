// The parts that several screens have: texts, times, contents, verdicts, lists and failures. Every value is a text
// node.
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { ContentAnswer } from '../cli/console/answers.ts';
import { type Answer, isLoading, nowMs } from './live.ts';
import { formatRoute, type Route, type Screen } from './route.ts';
import { agoText, nameText, shownText, timeText } from './shown-text.ts';

/** A text from outside. */
export function Text({ of }: { readonly of: string }): JSX.Element {
  return <bdi>{shownText(of)}</bdi>;
}

/** A link to a view. */
export function To({
  screen,
  of = null,
  question = {},
  children,
}: {
  readonly screen: Screen;
  readonly of?: string | null;
  readonly question?: Route['question'];
  readonly children: ComponentChildren;
}): JSX.Element {
  return <a href={formatRoute(screen, of, question)}>{children}</a>;
}

/** A name, which leads to all that is known of it. */
export function NameLink({ name }: { readonly name: string }): JSX.Element {
  return (
    <To screen="names" of={name}>
      <Text of={nameText(name)} />
    </To>
  );
}

type Ref = { readonly id: string | null; readonly name: string };

/** A hosted zone by its name, or by its id. */
export function HostedZoneLink({ hostedZone }: { readonly hostedZone: Ref | null }): JSX.Element {
  if (hostedZone === null) return <span class="dim">no hosted zone</span>;
  const { id, name } = hostedZone;
  if (id === null) return <Text of={`${nameText(name)} (to be created)`} />;
  return (
    <To screen="hosted-zones" of={id}>
      <Text of={name === '' ? id : nameText(name)} />
    </To>
  );
}

/** When something was, as the time that has passed. */
export function Ago({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={shownText(at)} title={timeText(at)}>
      {agoText(at, nowMs.value)}
    </time>
  );
}

const GOOD: ReadonlySet<string> = new Set(['Published', 'Adopted', 'Root', 'ours', 'zone53', 'route53']);
const WAITS: ReadonlySet<string> = new Set(['Pending', 'Occluded', 'HostedElsewhere', 'external-dns']);

/** A reason of a condition, or whose a record set is; the word says it, the colour helps. */
export function Verdict({ reason }: { readonly reason: string }): JSX.Element {
  const kind = GOOD.has(reason) ? 'good' : WAITS.has(reason) ? 'waits' : 'bad';
  return <span class={`verdict ${kind}`}>{shownText(reason)}</span>;
}

/** What a reason says besides its name. */
export function Message({ text }: { readonly text: string }): JSX.Element | null {
  return text === '' ? null : (
    <span class="message">
      <Text of={text} />
    </span>
  );
}

/** The objects that ask for something. */
export function Objects({ objects }: { readonly objects: readonly string[] }): JSX.Element {
  if (objects.length === 0) return <span class="dim">nobody</span>;
  return <Lines of={objects} />;
}

/** Texts, one on each line. */
export function Lines({ of }: { readonly of: readonly string[] }): JSX.Element {
  return (
    <>
      {of.map((one) => (
        <span class="line">
          <Text of={one} />
        </span>
      ))}
    </>
  );
}

/** A content on one line, as in a plan. */
export function contentText(content: ContentAnswer | null): string {
  if (content === null) return 'nothing';
  const { routing, healthCheckId } = content;
  const more = [
    ...(routing === undefined ? [] : [`routing ${JSON.stringify(routing)}`]),
    ...(healthCheckId === undefined ? [] : [`health check ${healthCheckId}`]),
  ];
  const what = 'alias' in content ? `alias ${content.alias.dnsName}` : `${content.ttl} s  ${content.values.join(', ')}`;
  return [what, ...more].join(', ');
}

/** A record set's type, with its identifier where there are several of that type. */
export function typeText(type: string | null, setIdentifier: string | null): string {
  return setIdentifier === null ? (type ?? '') : `${type ?? ''} [${setIdentifier}]`;
}

/** A line that is to be copied into a terminal. */
export function Command({ text }: { readonly text: string }): JSX.Element {
  const said = useSignal('');
  const copy = async () => {
    // What is copied is what is shown.
    said.value = await navigator.clipboard.writeText(shownText(text)).then(
      () => 'Copied',
      () => 'Not copied: select the line',
    );
  };
  return (
    <span class="command">
      <code>{shownText(text)}</code>
      <button type="button" onClick={copy}>
        Copy
      </button>
      <span role="status">{said.value}</span>
    </span>
  );
}

/** A table whose rows become blocks where there is little room; each cell then has its column's name before it. */
export function Table({
  caption,
  columns,
  kind,
  children,
}: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly kind: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <table class={kind}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col">{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** What is shown of an answer: that it is on its way, why there is none, or the answer. */
export function Answered<T>({
  path,
  answer,
  children,
}: {
  readonly path: string | null;
  readonly answer: Answer<T>;
  readonly children: (value: T) => ComponentChildren;
}): JSX.Element {
  const { value, failure } = answer;
  return (
    <>
      {failure !== null && !isLoading(answer, path) && (
        <p class="failure" role="alert">
          <Text of={failure} />
        </p>
      )}
      {value === null ? failure === null && path !== null && <p class="dim">Reading …</p> : children(value)}
    </>
  );
}

/** The links to the first and to the next page of a list. */
export function Pages({
  screen,
  of = null,
  question,
  after,
}: {
  readonly screen: Screen;
  readonly of?: string | null;
  readonly question: Route['question'];
  readonly after: string | null;
}): JSX.Element | null {
  const isFirst = (question.after ?? '') === '';
  if (isFirst && after === null) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {!isFirst && (
        <To screen={screen} of={of} question={{ ...question, after: '' }}>
          First page
        </To>
      )}
      {after !== null && (
        <To screen={screen} of={of} question={{ ...question, after }}>
          Next page
        </To>
      )}
    </nav>
  );
}

/** What the credentials may not read, or why it could not be read. */
export function Unread({
  unread,
}: {
  readonly unread: { readonly permission: string | null; readonly message: string } | null;
}): JSX.Element | null {
  if (unread === null) return null;
  return (
    <p class="failure">
      {unread.permission === null ? 'Not read: ' : `Not allowed (${shownText(unread.permission)} is missing): `}
      <Text of={unread.message} />
    </p>
  );
}
