// What a person has to do, or may wonder about: held deletes with the line that releases them, and every name that is
// not as it is wanted, by hosted zone or by namespace.
import type { JSX } from 'preact';
import type { Hold, NameRow, WaitingAnswer } from '../cli/console/answers.ts';
import { askRows, questionPath } from './ask.ts';
import { route, useAnswer } from './live.ts';
import { NameTable } from './names-screen.tsx';
import { counted, number, shownText } from './shown-text.ts';
import { Answered, Command, HostedZoneLink, Pages, Text, To } from './widgets.tsx';

const load = askRows<'names', NameRow, WaitingAnswer>('names');

export function WaitingScreen(): JSX.Element {
  const { question } = route.value;
  const { after = '', by = '' } = question;
  const path = questionPath('waiting', { after });
  const answer = useAnswer(path, {
    load,
    isTouched: ({ all, names, waiting }) => all || waiting || names.size > 0,
  });
  return (
    <>
      <h1 tabIndex={-1}>Waiting</h1>
      <Answered path={path} answer={answer}>
        {({ holds, names, after: next }) => (
          <>
            <p class="count" role="status">
              {holds.length === 0 && names.length === 0 && next === null && after === ''
                ? 'Nothing waits: everything wanted is published'
                : `${counted(holds.length, 'hold')}, ${counted(names.length, 'name')}${next === null ? '' : ' and more'}`}
            </p>
            {holds.length > 0 && <Holds holds={holds} />}
            {names.length > 0 && (
              <nav class="pages" aria-label="Grouping">
                {(['', 'namespace'] as const).map((one) => (
                  <a href={`#/waiting${one === '' ? '' : `?by=${one}`}`} aria-current={by === one ? 'true' : undefined}>
                    {one === '' ? 'By hosted zone' : 'By namespace'}
                  </a>
                ))}
              </nav>
            )}
            {[...Map.groupBy(names, by === 'namespace' ? namespaceOf : hostedZoneOf)].map(([group, rows]) => (
              <section key={group}>
                <h2>
                  <Text of={group} />
                </h2>
                <NameTable names={rows} caption={`Names that wait: ${shownText(group)}`} />
              </section>
            ))}
            <Pages screen="waiting" question={question} after={next} />
          </>
        )}
      </Answered>
    </>
  );
}

function hostedZoneOf({ hostedZone }: NameRow): string {
  if (hostedZone === null) return 'No hosted zone';
  return [hostedZone.name, hostedZone.id].filter(Boolean).join(' ');
}

/** That of the first object that asks for the name, "Kind ns/name". */
function namespaceOf({ objects }: NameRow): string {
  return /^\S+ ([^/]+)\//.exec(objects[0] ?? '')?.[1] ?? 'No namespace';
}

function Holds({ holds }: { readonly holds: readonly Hold[] }): JSX.Element {
  // Where one namespace has all that is held, both holds have one digest.
  const each = holds.filter((hold, at) => holds.findIndex(({ digest }) => digest === hold.digest) === at);
  return (
    <section>
      <h2>Deletes that the guard holds</h2>
      <ul class="holds">
        {each.map((hold) => (
          <HeldDeletes key={hold.digest} hold={hold} />
        ))}
      </ul>
    </section>
  );
}

function HeldDeletes({ hold }: { readonly hold: Hold }): JSX.Element {
  const { digest, reason, zone, hostedZone, namespace, count, command, annotation, cluster } = hold;
  return (
    <li data-digest={digest}>
      <p>
        <strong class="action held">
          {namespace === null ? 'All held deletes' : `Held deletes of namespace ${shownText(namespace)}`}
        </strong>{' '}
        {count !== null && `(${number(count)}) `}of Zone <Text of={zone} />, hosted zone{' '}
        <HostedZoneLink hostedZone={hostedZone} />
        <span class="dim">
          , cluster <Text of={cluster} />
        </span>
      </p>
      <p>
        Digest{' '}
        <code>
          <Text of={digest} />
        </code>
      </p>
      <p>
        <Text of={reason} />
      </p>
      <p>To release them:</p>
      <Command text={command} />
      <p>Or in the manifest of the Zone, as an annotation:</p>
      <Command text={annotation} />
      <p>
        {namespace !== null && (
          <To screen="names" question={{ namespace }}>
            Names of this namespace
          </To>
        )}
      </p>
    </li>
  );
}
