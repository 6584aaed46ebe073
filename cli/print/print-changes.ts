// Prints the changes of `zone53 local`, a line each, with the answer of Route 53. After the first 20 changes of a run,
// the others are only counted. A change that waits, for the guard or for room in a full hosted zone, is printed when it
// begins to wait, not again in later runs, and only counted if many are waiting already.
import { isWaitingForRoom } from '../../lib/publish/plan/outcome.ts';
import type { LocalChange } from '../../local/pipeline.ts';
import { outcomeWord } from './sum-up.ts';
import { type Paint, plainPaint, safeText } from './terminal-text.ts';

/** Changes of one run that are printed as a line. */
const LINES_MAX = 20;

/** Takes the changes of a run within one turn of the event loop, and prints them at its end. */
export function changeTeller(print: (line: string) => void, paint: Paint = plainPaint): (change: LocalChange) => void {
  const waiting = new Set<string>();
  const gathered: LocalChange[] = [];
  let waitingBefore = 0;
  const flush = () => {
    const changes = gathered.splice(0);
    const single = changes.filter((change) => waitingBefore < LINES_MAX || !isWaiting(change));
    // A single further change takes one line either way.
    const told = new Set(changes.length <= LINES_MAX + 1 ? single : single.slice(0, LINES_MAX));
    for (const change of told) print(lineOf(change, paint));
    const more = changes.filter((change) => !told.has(change));
    if (more.length > 0) print(`and ${more.length} more: ${countedKinds(more)}`);
    waitingBefore = waiting.size;
  };
  return (change) => {
    const key = keyOf(change);
    if (!isWaiting(change)) waiting.delete(key);
    else if (waiting.has(key)) return;
    else waiting.add(key);
    if (gathered.length === 0) queueMicrotask(flush);
    gathered.push(change);
  };
}

function isWaiting({ outcome }: LocalChange): boolean {
  return outcome.outcome === 'held' || isWaitingForRoom(outcome);
}

function keyOf({ hostedZone, outcome: { change } }: LocalChange): string {
  return [hostedZone, change.name, change.type, change.setIdentifier ?? '', change.action].join(' ');
}

/** "480 delete held, 12 create published". */
function countedKinds(changes: readonly LocalChange[]): string {
  const kinds = Map.groupBy(changes, ({ outcome: { change, outcome } }) => {
    const word = outcomeWord(change.action, outcome);
    return word === 'deleted' ? word : `${change.action} ${word}`;
  });
  return [...kinds].map(([kind, ofKind]) => `${ofKind.length} ${kind}`).join(', ');
}

function lineOf({ outcome, elapsedMs }: LocalChange, paint: Paint): string {
  const { change, message } = outcome;
  const { action, name, type, setIdentifier, after, objects } = change;
  const identifier = setIdentifier === null ? '' : ` [${setIdentifier}]`;
  const says =
    after === null
      ? ''
      : after.kind === 'alias'
        ? ` alias ${after.alias.dnsName}`
        : ` ${after.ttlSeconds} ${after.values.join(', ')}`;
  const took = elapsedMs === null || outcome.outcome === 'held' ? '' : ` in ${elapsedMs} ms`;
  // The Zone's status says why a delete is held, and a published change needs no message.
  const said = outcome.outcome === 'held' || message === 'Published.' ? '' : `  ${message}`;
  const by = objects.length === 0 ? '' : `  (${objects.join(', ')})`;
  const word = outcomeWord(action, outcome.outcome);
  const colour = outcome.outcome === 'published' ? 'green' : outcome.outcome === 'held' ? 'yellow' : 'red';
  return `${safeText(`${action} ${name} ${type}${identifier}${says}${by}`)}: ${paint(colour, word)}${took}${safeText(said)}`;
}
