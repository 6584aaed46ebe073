// All that is known of one name. Its record sets are read from Route 53 when it is opened, and when it has changed.
import type { ComponentChildren, JSX } from 'preact';
import type { NameAnswer, NamesAnswer } from '../cli/console/answers.ts';
import { questionPath } from './ask.ts';
import { Changes, Entries } from './entries.tsx';
import { useAnswer } from './live.ts';
import { nameText, shownLines, shownText } from './shown-text.ts';
import {
  Ago,
  Answered,
  contentText,
  HostedZoneLink,
  Lines,
  Message,
  Table,
  Text,
  To,
  typeText,
  Unread,
  Verdict,
} from './widgets.tsx';

export function NameScreen({ name }: { readonly name: string }): JSX.Element {
  const path = questionPath(`names/${encodeURIComponent(name)}`);
  const answer = useAnswer<NameAnswer>(path, { isTouched: ({ all, names }) => all || names.has(name) });
  return (
    <article data-name={answer.value?.name ?? name}>
      <h1 tabIndex={-1}>
        <Text of={nameText(name)} />
      </h1>
      <Answered path={path} answer={answer}>
        {(value) => <Known of={value} />}
      </Answered>
      {answer.value === null && <First name={name} />}
    </article>
  );
}

/** What the ledger has of the name, which is known long before the objects and Route 53 are read. */
function First({ name }: { readonly name: string }): JSX.Element | null {
  const { value } = useAnswer<NamesAnswer>(questionPath('names', { query: name }));
  const rows = (value?.names ?? []).filter((row) => row.name === name);
  return rows.length === 0 ? null : <Places rows={rows} />;
}

function vpcsText(vpcs: readonly { readonly id: string; readonly region: string }[]): string {
  if (vpcs.length === 0) return 'no VPC is associated with it, so nothing resolves its names';
  return `it answers in ${vpcs.map(({ id, region }) => `${id} (${region})`).join(', ')} alone`;
}

function Known({ of }: { readonly of: NameAnswer }): JSX.Element {
  const { zone, hostedZone, advice, pending, held, protections, history } = of;
  return (
    <>
      <p>
        {zone === null ? 'No live Zone covers it' : `Zone ${shownText(zone)}`}, {hostedZone !== null && 'hosted zone '}
        <HostedZoneLink hostedZone={hostedZone} />
        {hostedZone?.vpcs !== undefined && `, private: ${vpcsText(hostedZone.vpcs)}`}
      </p>
      <Section title="What to do">
        {shownLines(advice).map((line) => (
          <p>{line}</p>
        ))}
      </Section>
      <Section title="Asked for by">
        <Asking objects={of.objects} />
      </Section>
      {pending.length > 0 && (
        <Section title="Pending">
          <Changes changes={pending} />
        </Section>
      )}
      {held.length > 0 && (
        <Section title="Held by the guard">
          <Changes changes={held} />
        </Section>
      )}
      <Section title="In Route 53">
        <Unread unread={of.unread} />
        {of.unread === null && <Existing sets={of.route53} isRead={hostedZone?.id != null} />}
      </Section>
      {protections.length > 0 && (
        <Section title="Protected in Route 53">
          <ul>
            {protections.map(({ type, comment }) => (
              <li>
                <Text of={`${type}: ${comment ?? 'without a comment'}`} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Last published by zone53">
        <Published sets={of.published} />
      </Section>
      {of.rows.length > 0 && (
        <Section title="In each hosted zone">
          <Places rows={of.rows} />
        </Section>
      )}
      <Delegation of={of.delegation} />
      <Section title="History">
        {history.length === 0 ? (
          <p class="dim">No entries</p>
        ) : (
          <>
            <Entries entries={history} ofName />
            <p>
              <To screen="history" question={{ name: of.name }}>
                All entries of this name
              </To>
            </p>
          </>
        )}
      </Section>
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Asking({ objects }: Pick<NameAnswer, 'objects'>): JSX.Element {
  if (objects.length === 0) return <p class="dim">Nobody</p>;
  return (
    <Table caption="Objects that ask for the name" kind="asking" columns={['Object', 'Type', 'Accepted', 'Programmed']}>
      {objects.map(({ object, type, file, line, accepted, programmed }) => (
        <tr key={`${object} ${type}`}>
          <th scope="row">
            <Text of={object} />
            {file !== null && (
              <span class="line dim">
                <Text of={line === null ? file : `${file}:${line}`} />
              </span>
            )}
          </th>
          <td data-column="Type">
            <Text of={type ?? ''} />
          </td>
          <td data-column="Accepted">
            <Verdict reason={accepted.reason} /> <Message text={accepted.message} />
          </td>
          <td data-column="Programmed">
            {programmed !== null && (
              <>
                <Verdict reason={programmed.reason} /> <Message text={programmed.message} />
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Existing({ sets, isRead }: { readonly sets: NameAnswer['route53']; readonly isRead: boolean }): JSX.Element {
  if (sets.length === 0) return <p class="dim">{isRead ? 'Nothing' : 'Not read: no hosted zone'}</p>;
  return (
    <Table caption="What Route 53 has" kind="sets" columns={['Type', 'Content', 'Whose']}>
      {sets.map(({ type, setIdentifier, content, owner }) => (
        <tr key={`${type} ${setIdentifier}`}>
          <th scope="row">
            <Text of={typeText(type, setIdentifier)} />
          </th>
          <td data-column="Content" class="value">
            <Text of={contentText(content)} />
          </td>
          <td data-column="Whose">
            <Verdict reason={owner} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Published({ sets }: { readonly sets: NameAnswer['published'] }): JSX.Element {
  if (sets.length === 0) return <p class="dim">Nothing</p>;
  return (
    <Table caption="What zone53 published last" kind="sets" columns={['Type', 'Content', 'When']}>
      {sets.map(({ type, setIdentifier, content, at }) => (
        <tr key={`${type} ${setIdentifier}`}>
          <th scope="row">
            <Text of={typeText(type, setIdentifier)} />
          </th>
          <td data-column="Content" class="value">
            <Text of={contentText(content)} />
          </td>
          <td data-column="When">{at !== null && <Ago at={at} />}</td>
        </tr>
      ))}
    </Table>
  );
}

function Places({ rows }: Pick<NameAnswer, 'rows'>): JSX.Element {
  return (
    <Table
      caption="The name in each hosted zone"
      kind="places"
      columns={['Hosted zone', 'View', 'Cluster', 'Types', 'Values', 'State']}
    >
      {rows.map(({ hostedZone, view, cluster, types, values, reason, message, since }) => (
        <tr key={`${hostedZone?.id} ${cluster}`}>
          <th scope="row">
            <HostedZoneLink hostedZone={hostedZone} />
          </th>
          <td data-column="View">
            <Text of={view} />
          </td>
          <td data-column="Cluster">
            <Text of={cluster} />
          </td>
          <td data-column="Types">
            <Text of={types.join(' ')} />
          </td>
          <td data-column="Values" class="value">
            <Lines of={values} />
          </td>
          <td data-column="State">
            <Verdict reason={reason} /> {since !== null && <Ago at={since} />} <Message text={message} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Delegation({ of }: { readonly of: NameAnswer['delegation'] }): JSX.Element | null {
  if (of === null) return null;
  const { hostedZones, cut, problem } = of;
  return (
    <Section title="How a resolver gets there">
      <ol>
        {hostedZones.map((one, at) => (
          <li>
            {at === 0 ? 'Hosted zone ' : 'NS lead to hosted zone '}
            <HostedZoneLink hostedZone={one} />
          </li>
        ))}
        {cut !== null && (
          <li>
            <Text of={`NS ${cut.name} lead to ${cut.nameServers.join(', ')}, which are elsewhere`} />
          </li>
        )}
      </ol>
      {problem !== null && (
        <p class="failure">
          <Text of={problem} />
        </p>
      )}
    </Section>
  );
}
