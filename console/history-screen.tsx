// The history as a time line, with filters and diffs. What is shown can be saved as JSON or CSV.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { EntryAnswer, HistoryAnswer } from '../cli/console/answers.ts';
import { askRows, failureText, questionPath } from './ask.ts';
import { Entries } from './entries.tsx';
import { fieldsOf, useFields } from './fields.ts';
import { go, isLoading, route, status, useAnswer } from './live.ts';
import { counted, number, shownText } from './shown-text.ts';
import { Answered, To } from './widgets.tsx';

/** An answer has so many; "older entries" shows as many more. */
const ENTRIES = 200;
const ENTRIES_MAX = 10_000;

const load = (enough: number) => askRows<'entries', EntryAnswer, HistoryAnswer>('entries', enough);

const FIELDS: readonly (readonly [key: string, label: string, hint: string])[] = [
  ['name', 'Name', 'www.example.org'],
  ['object', 'Object', 'Record team-a/www'],
  ['namespace', 'Namespace', 'team-a'],
  ['hosted-zone', 'Hosted zone', 'Z0123456789ABCDEFGHIJ'],
  ['cluster', 'Cluster', 'prod-eu'],
  ['since', 'Since', '2h, or a time'],
  ['until', 'Until', '2026-01-31T12:00:00Z'],
];

export function HistoryScreen(): JSX.Element {
  const { question } = route.value;
  const shown = Math.min(Number(question.show) || ENTRIES, ENTRIES_MAX);
  const path = questionPath('history', filtersOf(question));
  const answer = useAnswer(path, { load: load(shown), key: `${path} ${shown}` });
  return (
    <>
      <h1 tabIndex={-1}>History</h1>
      <Filters />
      {status.value?.historyDays === 0 && <p class="failure">No history is kept: history.days is 0</p>}
      <Answered path={path} answer={answer}>
        {({ entries, after }) => (
          <>
            <p class="count" role="status">
              {isLoading(answer, path)
                ? 'Reading …'
                : entries.length === 0
                  ? 'No entries'
                  : `${number(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'}${after === null ? '' : ', and older ones'}`}
            </p>
            <Entries entries={entries} />
            {after !== null && shown < ENTRIES_MAX && (
              <p class="pages">
                <To screen="history" question={{ ...question, show: String(shown + ENTRIES) }}>
                  Older entries
                </To>
              </p>
            )}
          </>
        )}
      </Answered>
    </>
  );
}

function filtersOf(question: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(FIELDS.flatMap(([key]) => (question[key] ? [[key, question[key]]] : [])));
}

function Filters(): JSX.Element {
  const { question } = route.value;
  const form = useFields(Object.fromEntries(FIELDS.map(([key]) => [key, question[key] ?? ''])));
  return (
    <form class="fields" ref={form} onSubmit={(event) => go('history', null, fieldsOf(event))} aria-label="Filters">
      {FIELDS.map(([key, label, hint]) => (
        <label key={key}>
          {label} <input name={key} placeholder={hint} autoComplete="off" />
        </label>
      ))}
      <button type="submit">Show</button>
      <Export />
    </form>
  );
}

function Export(): JSX.Element {
  const said = useSignal('');
  const csv = questionPath('history', { ...filtersOf(route.value.question), format: 'csv' });
  const save = async () => {
    said.value = 'Reading …';
    try {
      const path = questionPath('history', filtersOf(route.value.question));
      const { entries, after } = await load(ENTRIES_MAX)(path);
      const text = JSON.stringify({ entries, more: after !== null }, null, 2);
      download('zone53-history.json', `${text}\n`, 'application/json');
      said.value = `Saved ${counted(entries.length, 'row')}${after === null ? '' : '; there are more'}`;
    } catch (error) {
      said.value = failureText(error);
    }
  };
  return (
    <span>
      <button type="button" onClick={save}>
        Export JSON
      </button>{' '}
      <a class="button" href={`/api/v1/${csv}`} download="zone53-history.csv">
        Export CSV
      </a>{' '}
      <span role="status">{shownText(said.value)}</span>
    </span>
  );
}

function download(name: string, text: string, type: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  Object.assign(link, { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
