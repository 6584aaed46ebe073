// The hosted zones, and one of them: whose its record sets are, its lease, the guard's numbers, the quota, the last
// sweep. Route 53 is read only when somebody asks for it.
import type { ComponentChildren, JSX } from 'preact';
import type { HostedZoneAnswer, HostedZoneRow, HostedZonesAnswer, RecordSetRow } from '../cli/console/answers.ts';
import { ask, askRows, questionPath } from './ask.ts';
import { isLoading, route, useAnswer } from './live.ts';
import { counted, number } from './shown-text.ts';
import {
  Ago,
  Answered,
  contentText,
  HostedZoneLink,
  Message,
  NameLink,
  Objects,
  Pages,
  Table,
  Text,
  To,
  typeText,
  Unread,
  Verdict,
} from './widgets.tsx';

const loadList = askRows<'hostedZones', HostedZoneRow, HostedZonesAnswer>('hostedZones');

export function HostedZonesScreen(): JSX.Element {
  const { question } = route.value;
  const path = questionPath('hosted-zones', { after: question.after });
  const answer = useAnswer(path, { load: loadList });
  return (
    <>
      <h1 tabIndex={-1}>Hosted zones</h1>
      <Answered path={path} answer={answer}>
        {({ hostedZones, after }) => (
          <>
            {hostedZones.length === 0 ? (
              <p class="dim">The ledger knows no hosted zone</p>
            ) : (
              <Table
                caption="Hosted zones"
                kind="zones"
                columns={['Hosted zone', 'Id', 'Zone', 'Cluster', 'Published', 'Held', 'Last sweep', 'State']}
              >
                {hostedZones.map((one) => (
                  <tr key={one.id} data-name={one.name}>
                    <th scope="row">
                      <HostedZoneLink hostedZone={one} />
                    </th>
                    <td data-column="Id">
                      <Text of={one.id} />
                    </td>
                    <td data-column="Zone">
                      <Text of={one.zone} />
                    </td>
                    <td data-column="Cluster">
                      <Text of={one.cluster} />
                    </td>
                    <td data-column="Published">{number(one.published)}</td>
                    <td data-column="Held">{number(one.held)}</td>
                    <td data-column="Last sweep">
                      <When at={one.lastSweep} />
                    </td>
                    <td data-column="State">
                      <ZoneState of={one} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            <Pages screen="hosted-zones" question={question} after={after} />
          </>
        )}
      </Answered>
    </>
  );
}

function When({ at }: { readonly at: string | null }): JSX.Element {
  return at === null ? <span class="dim">not known</span> : <Ago at={at} />;
}

function ZoneState({ of }: { readonly of: HostedZoneRow }): JSX.Element {
  const { view, made, gone, full, denied } = of;
  return (
    <>
      <Text of={view} />
      {made && <span class="dim"> made by zone53</span>}
      {gone && <Verdict reason="gone from Route 53" />}
      {full !== null && <Message text={full} />}
      {denied !== null && <Message text={denied} />}
    </>
  );
}

const loadRows = askRows<'rows', RecordSetRow, HostedZoneAnswer>('rows');

export function HostedZoneScreen({ id }: { readonly id: string }): JSX.Element {
  const { question } = route.value;
  const { read = '', after = '', owner = '' } = question;
  const isRead = read === 'true';
  const path = questionPath(`hosted-zones/${encodeURIComponent(id)}`, { read, after });
  // One page of Route 53 is one call, which nobody but a person asks for.
  const answer = useAnswer<HostedZoneAnswer>(path, {
    load: isRead ? ask : loadRows,
    isTouched: ({ all, names }) => !isRead && (all || names.size > 0),
  });
  return (
    <>
      <h1 tabIndex={-1}>
        Hosted zone <Text of={answer.value?.hostedZone.name || id} />
      </h1>
      <Answered path={path} answer={answer}>
        {(value) => (
          <>
            <Facts of={value} />
            <section>
              <h2>Record sets {isRead ? 'in Route 53' : 'that the ledger knows'}</h2>
              <nav class="pages" aria-label="Source">
                <a href={hrefOf(id, {})} aria-current={isRead ? undefined : 'true'}>
                  From the ledger
                </a>
                <a href={hrefOf(id, { read: 'true' })} aria-current={isRead ? 'true' : undefined}>
                  Read Route 53
                </a>
              </nav>
              <Unread unread={value.unread} />
              {isLoading(answer, path) ? (
                <p class="dim" role="status">
                  Reading …
                </p>
              ) : (
                <Owned id={id} of={value} owner={owner} />
              )}
              <Pages screen="hosted-zones" of={id} question={question} after={value.after} />
            </section>
          </>
        )}
      </Answered>
      <p>
        <To screen="history" question={{ 'hosted-zone': id }}>
          History of this hosted zone
        </To>
      </p>
    </>
  );
}

function hrefOf(id: string, question: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(question).toString();
  return `#/hosted-zones/${encodeURIComponent(id)}${query === '' ? '' : `?${query}`}`;
}

function Facts({ of }: { readonly of: HostedZoneAnswer }): JSX.Element {
  const { hostedZone, counts, guard, quota, rows } = of;
  const { id, zone, cluster, nameServers, lease, epoch, lastCompared, lastSweep, held } = hostedZone;
  const soa = rows.find(({ type, name }) => type === 'SOA' && name === hostedZone.name);
  const share = `${Math.round(guard.deletesShareMax * 100)} %`;
  return (
    <dl class="facts" data-name={hostedZone.name}>
      <Fact name="Id">
        <Text of={id} />
      </Fact>
      <Fact name="Zone">
        <Text of={zone === '' ? 'none' : zone} />, cluster <Text of={cluster} />
      </Fact>
      <Fact name="State">
        <ZoneState of={hostedZone} />
      </Fact>
      <Fact name="Record sets">
        {number(counts.zone53)} of zone53, {number(counts.externalDns)} of external-dns, {number(counts.foreign)}{' '}
        foreign, {number(counts.drifted)} changed by hand
      </Fact>
      <Fact name="Guard">
        {counted(guard.deletedLastHour, 'delete')} in the last hour; holds more than {guard.deletesMax} or {share} of{' '}
        {number(guard.published)}; {counted(held, 'held delete')}
      </Fact>
      <Fact name="Quota">
        {quota === null ? 'not read' : `${number(quota.used)} of ${number(quota.max)} record sets`}
      </Fact>
      <Fact name="SOA">
        {soa === undefined ? (
          <span class="dim">not read: see Read Route 53</span>
        ) : (
          <span class="value">
            <Text of={contentText(soa.content)} />
          </span>
        )}
      </Fact>
      <Fact name="Lease">
        {lease === null ? (
          'free'
        ) : (
          <>
            <Text of={lease.holder} />, until <Ago at={lease.until} />
          </>
        )}
        , epoch {epoch}
      </Fact>
      <Fact name="Last compared">
        <When at={lastCompared} />
      </Fact>
      <Fact name="Last sweep">
        <When at={lastSweep} />
      </Fact>
      <Fact name="Name servers">
        <Text of={nameServers.join(' ')} />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Owned({
  id,
  of,
  owner,
}: {
  readonly id: string;
  readonly of: HostedZoneAnswer;
  readonly owner: string;
}): JSX.Element {
  const { question } = route.value;
  const byOwner = Map.groupBy(of.rows, (row) => row.owner);
  const rows = owner === '' ? of.rows : (byOwner.get(owner) ?? []);
  return (
    <>
      <nav class="pages" aria-label="Owners">
        <a href={hrefOf(id, without(question))} aria-current={owner === '' ? 'true' : undefined}>
          {counted(of.rows.length, 'row')}
          {of.after === null ? '' : ' on this page'}
        </a>
        {[...byOwner].map(([one, all]) => (
          <a
            key={one}
            href={hrefOf(id, { ...without(question), owner: one })}
            aria-current={owner === one ? 'true' : undefined}
          >
            {number(all.length)} <Text of={one} />
          </a>
        ))}
      </nav>
      {rows.length > 0 && (
        <Table
          caption="Record sets"
          kind="recordsets"
          columns={['Name', 'Type', 'Content', 'Whose', 'Objects', 'State']}
        >
          {rows.map((row) => (
            <tr key={`${row.name} ${row.type} ${row.setIdentifier}`} data-name={row.name}>
              <th scope="row">
                <NameLink name={row.name} />
              </th>
              <td data-column="Type">
                <Text of={typeText(row.type, row.setIdentifier)} />
              </td>
              <td data-column="Content" class="value">
                <Text of={contentText(row.content)} />
              </td>
              <td data-column="Whose">
                <Verdict reason={row.owner} />
              </td>
              <td data-column="Objects">
                <Objects objects={row.objects} />
              </td>
              <td data-column="State">
                {row.reason !== '' && <Verdict reason={row.reason} />}{' '}
                {row.reason !== 'Published' && <Message text={row.message} />}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function without({ owner: _, ...question }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return question;
}
