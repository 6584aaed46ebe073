// The names that match the search, one row for each hosted zone that has the name.
import type { JSX } from 'preact';
import type { NameRow, NamesAnswer } from '../cli/console/answers.ts';
import { askRows, questionPath } from './ask.ts';
import { isLoading, route, useAnswer } from './live.ts';
import { counted, shownText } from './shown-text.ts';
import {
  Ago,
  Answered,
  HostedZoneLink,
  Lines,
  Message,
  NameLink,
  Objects,
  Pages,
  Table,
  Text,
  Verdict,
} from './widgets.tsx';

const load = askRows<'names', NameRow, NamesAnswer>('names');

export function NamesScreen(): JSX.Element {
  const { question } = route.value;
  const { query = '', namespace = '', after = '' } = question;
  const path = questionPath('names', { query, namespace, after });
  const answer = useAnswer(path, { load });
  const asked = query === '' ? '' : ` that match “${shownText(query)}”`;
  const among = namespace === '' ? '' : ` of namespace ${shownText(namespace)}`;
  return (
    <>
      <h1 tabIndex={-1}>Names</h1>
      <Answered path={path} answer={answer}>
        {({ names, after: next }) => (
          <>
            <p class="count" role="status">
              {isLoading(answer, path)
                ? 'Searching …'
                : names.length === 0
                  ? `No names${asked}${among}`
                  : `${counted(names.length, 'row')}${next === null ? '' : ' and more'}${asked}${among}`}
            </p>
            {names.length > 0 && <NameTable names={names} caption="Names" />}
            <Pages screen="names" question={question} after={next} />
          </>
        )}
      </Answered>
    </>
  );
}

/** Rows of names, as the lists of Names and Waiting have them. */
export function NameTable({
  names,
  caption,
}: {
  readonly names: readonly NameRow[];
  readonly caption: string;
}): JSX.Element {
  return (
    <Table caption={caption} kind="names" columns={['Name', 'Types', 'Values', 'Asked for by', 'Hosted zone', 'State']}>
      {names.map((row) => (
        <NameTableRow key={`${row.hostedZone?.id} ${row.cluster} ${row.name}`} row={row} />
      ))}
    </Table>
  );
}

function NameTableRow({ row }: { readonly row: NameRow }): JSX.Element {
  const { name, types, values, objects, hostedZone, view, reason, message, since } = row;
  return (
    <tr data-name={name}>
      <th scope="row">
        <NameLink name={name} />
      </th>
      <td data-column="Types">
        <Text of={types.join(' ')} />
      </td>
      <td data-column="Values" class="value">
        <Lines of={values} />
      </td>
      <td data-column="Asked for by">
        <Objects objects={objects} />
      </td>
      <td data-column="Hosted zone">
        <HostedZoneLink hostedZone={hostedZone} />
        {view !== 'public' && <span class="dim"> {shownText(view)}</span>}
      </td>
      <td data-column="State">
        <Verdict reason={reason} />
        {since !== null && (
          <span class="dim">
            {' '}
            <Ago at={since} />
          </span>
        )}{' '}
        {reason !== 'Published' && <Message text={message} />}
      </td>
    </tr>
  );
}
