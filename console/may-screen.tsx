// Who may publish what: a question that is answered by the rules of adoption, the Zones as a tree with their
// delegations, and the clusters where there are several.
import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import type { DelegationRule, MayAnswer, ZoneRow, ZonesAnswer } from '../cli/console/answers.ts';
import { askRows, questionPath } from './ask.ts';
import { fieldsOf, useFields } from './fields.ts';
import { go, isLoading, route, status, useAnswer } from './live.ts';
import { shownText } from './shown-text.ts';
import { Ago, Answered, HostedZoneLink, Message, Pages, Table, Text, Verdict } from './widgets.tsx';

const load = askRows<'zones', ZoneRow, ZonesAnswer>('zones');
const TYPES = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'TXT',
  'NS',
  'SRV',
  'CAA',
  'DS',
  'HTTPS',
  'SVCB',
  'TLSA',
  'SSHFP',
  'NAPTR',
  'PTR',
];

export function MayScreen(): JSX.Element {
  const { question } = route.value;
  const { after = '' } = question;
  const path = questionPath('zones', { after });
  const answer = useAnswer(path, { load });
  return (
    <>
      <h1 tabIndex={-1}>Who may</h1>
      <Asked />
      <section>
        <h2>Zones</h2>
        <Answered path={path} answer={answer}>
          {({ zones, after: next }) => (
            <>
              {zones.length === 0 ? <p class="dim">There are no Zones</p> : <Tree zones={zones} />}
              <Pages screen="may" question={question} after={next} />
            </>
          )}
        </Answered>
      </section>
      <Clusters />
    </>
  );
}

function Asked(): JSX.Element {
  const { question } = route.value;
  const { namespace = '', name = '', type = 'A', view = '' } = question;
  const isAsked = namespace !== '' && name !== '';
  const path = isAsked ? questionPath('may', { namespace, name, type, view }) : null;
  const answer = useAnswer<MayAnswer>(path);
  const form = useFields({ namespace, name, type, view });
  const submit = (event: SubmitEvent) => {
    const asked = fieldsOf(event);
    go('may', null, { ...asked, type: (asked.type ?? '').toUpperCase() });
  };
  return (
    <section>
      <h2>A question</h2>
      <form class="fields" ref={form} onSubmit={submit}>
        <label>
          May namespace <input name="namespace" required />
        </label>
        <label>
          have the name <input name="name" required size={32} />
        </label>
        <label>
          with type <input name="type" required list="types" size={8} />
        </label>
        <label>
          in view <input name="view" placeholder="public" size={10} />
        </label>
        <datalist id="types">
          {TYPES.map((one) => (
            <option value={one} />
          ))}
        </datalist>
        <button type="submit">Ask</button>
      </form>
      <div aria-live="polite">
        {isAsked && !isLoading(answer, path) && (
          <Answered path={path} answer={answer}>
            {({ allowed, zone, rule, reason, message }) => (
              <div class={`answer ${allowed ? 'yes' : 'no'}`} data-name={name}>
                <p>
                  <strong>{allowed ? 'Yes' : 'No'}</strong>: namespace <Text of={namespace} />{' '}
                  {allowed ? 'may have' : 'may not have'} <Text of={`${name} ${type}`} />. <Verdict reason={reason} />{' '}
                  <Message text={message} />
                </p>
                {zone !== null && (
                  <p>
                    Zone <Text of={zone} /> decides.
                  </p>
                )}
                {rule !== null && (
                  <p>
                    By <code>spec.delegations[{rule.index}]</code>: <RuleText rule={rule} />
                  </p>
                )}
              </div>
            )}
          </Answered>
        )}
      </div>
    </section>
  );
}

/** The Zones below the one that adopted them. One whose parent is on another page stands by itself. */
function Tree({ zones }: { readonly zones: readonly ZoneRow[] }): JSX.Element {
  const keys = new Set(zones.map(keyOf));
  const below = Map.groupBy(zones, (zone) => {
    const parent = zone.parent === null ? '' : `${zone.cluster} ${zone.parent}`;
    return keys.has(parent) ? parent : '';
  });
  return <Branch of={below.get('') ?? []} below={below} />;
}

function keyOf({ cluster, namespace, name }: ZoneRow): string {
  return `${cluster} ${namespace}/${name}`;
}

function Branch({
  of,
  below,
}: {
  readonly of: readonly ZoneRow[];
  readonly below: ReadonlyMap<string, readonly ZoneRow[]>;
}): JSX.Element {
  return (
    <ul class="tree">
      {of.map((zone) => {
        const inside = below.get(keyOf(zone)) ?? [];
        return (
          <li key={keyOf(zone)}>
            <Zone of={zone} />
            {inside.length > 0 && <Branch of={inside} below={below} />}
          </li>
        );
      })}
    </ul>
  );
}

function Zone({ of }: { readonly of: ZoneRow }): JSX.Element {
  const { namespace, name, fqdn, parent, live, accepted, hostedZone, delegations } = of;
  return (
    <div {...(fqdn === null ? {} : { 'data-name': fqdn })}>
      <p>
        <strong>
          <Text of={fqdn ?? 'no name'} />
        </strong>{' '}
        Zone <Text of={`${namespace}/${name}`} />
        {parent !== null && (
          <span class="dim">
            {' '}
            in <Text of={parent} />
          </span>
        )}{' '}
        <Verdict reason={accepted.reason} /> {!live && <span class="dim">not live</span>}{' '}
        <span class="dim">
          {hostedZone !== null && 'hosted zone '}
          <HostedZoneLink hostedZone={hostedZone} />
        </span>
      </p>
      {!live && (
        <p>
          <Message text={accepted.message} />
        </p>
      )}
      {delegations.length === 0 ? (
        <p class="dim">No delegations: it adopts nothing</p>
      ) : (
        <ol class="rules" start={0}>
          {delegations.map((rule) => (
            <li>
              <RuleText rule={rule} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function RuleText({ rule }: { readonly rule: DelegationRule }): JSX.Element {
  const { clusters, namespaces, shared, zones, records } = rule;
  const where = clusters === undefined ? '' : ` of ${clusters.join(', ')}`;
  const who = `${namespaces === null ? 'every namespace' : namespaces.join(', ')}${where}`;
  const what = [
    ...zones.map((zone) => `Zone ${zone}`),
    ...records.map(({ pattern, types }) => `${pattern} ${types.length === 0 ? 'any type' : types.join(' ')}`),
  ];
  return <Text of={`${who}: ${what.length === 0 ? 'nothing' : what.join('; ')}${shared ? ' (shared)' : ''}`} />;
}

function Clusters(): JSX.Element | null {
  const clusters = useComputed(() => status.value?.clusters ?? []).value;
  if (clusters.length < 2) return null;
  return (
    <section>
      <h2>Clusters</h2>
      <Table caption="Clusters" kind="places" columns={['Cluster', 'Hosted zones that it claims', 'Last reading']}>
        {clusters.map(({ id, hostedZones, lastReading }) => (
          <tr key={id}>
            <th scope="row">{shownText(id)}</th>
            <td data-column="Hosted zones">{hostedZones}</td>
            <td data-column="Last reading">{lastReading === null ? 'not known' : <Ago at={lastReading} />}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
