// The line that every screen ends with: each cluster with its last reading, what waits longest, the last sweep; the
// budget of Route 53's calls; the version; and what cannot be read.
import type { JSX } from 'preact';
import type { StatusAnswer } from '../cli/console/answers.ts';
import { status, trouble } from './live.ts';
import { isSlashOn } from './shortcut.ts';
import { counted, number, shownText } from './shown-text.ts';
import { Ago, HostedZoneLink, NameLink, Text } from './widgets.tsx';

export function StateLine(): JSX.Element {
  const now = status.value;
  return (
    <footer>
      {trouble.value !== null && (
        <p class="failure" role="alert">
          <Text of={trouble.value} />
        </p>
      )}
      {now !== null && <State of={now} />}
      <label>
        <input
          type="checkbox"
          checked={isSlashOn.value}
          onChange={(event) => {
            isSlashOn.value = event.currentTarget.checked;
          }}
        />{' '}
        <kbd>/</kbd> goes to the search
      </label>
    </footer>
  );
}

function State({ of }: { readonly of: StatusAnswer }): JSX.Element {
  const { version, source, ledger, clusters, budget, throttledAt, problems } = of;
  return (
    <>
      {problems.map((problem) => (
        <p class="failure" key={problem}>
          <Text of={problem} />
        </p>
      ))}
      <ul class="state">
        {clusters.map((cluster) => (
          <ClusterState key={cluster.id} of={cluster} />
        ))}
        <li>
          {budget === null
            ? 'Budget not noted'
            : `Budget ${number(budget.requestsPerSecond)} requests/s, ${number(budget.changesPerSecond)} changes/s, ${number(budget.changesAtOnce)} at once`}
        </li>
        <li>
          {throttledAt === null ? (
            'Not throttled'
          ) : (
            <>
              Throttled <Ago at={throttledAt} />
            </>
          )}
        </li>
        <li>
          Reads <Text of={source} />, <Text of={ledger} />
        </li>
        <li>zone53 {shownText(version)}</li>
      </ul>
    </>
  );
}

function ClusterState({ of }: { readonly of: StatusAnswer['clusters'][number] }): JSX.Element {
  const { id, lastReading, lastSweep, hostedZones, dirty, oldestDirty, held } = of;
  return (
    <li>
      Cluster <strong>{shownText(id)}</strong>: read{' '}
      {lastReading === null ? 'at a time not known' : <Ago at={lastReading} />}
      {', '}
      {counted(hostedZones, 'hosted zone')}, {counted(dirty, 'dirty name')}
      {oldestDirty !== null && (
        <span data-name={oldestDirty.name}>
          {' '}
          (oldest <NameLink name={oldestDirty.name} /> <Ago at={oldestDirty.since} /> in{' '}
          <HostedZoneLink hostedZone={oldestDirty.hostedZone} />)
        </span>
      )}
      , {counted(held, 'held delete')}, last sweep {lastSweep === null ? 'not known' : <Ago at={lastSweep} />}
    </li>
  );
}
