// When a client of Gardener considers an extension object ready (gardenlet checks every five seconds). The tests use
// the same criterion.
import type { ApiObject } from './kubernetes-client.ts';

/** Why an object is not ready, in Gardener's terms; null: it is ready. */
export function notReady({ metadata, status = {} }: ApiObject): string | null {
  const { lastError, lastOperation, observedGeneration = 0 } = status;
  if (lastError !== undefined) return `error during reconciliation: ${lastError.description}`;
  if (observedGeneration !== metadata.generation) {
    return `observed generation outdated (${observedGeneration}/${metadata.generation})`;
  }
  const operation = metadata.annotations?.['gardener.cloud/operation'];
  if (operation !== undefined) return `gardener operation "${operation}" is not yet picked up by controller`;
  if (lastOperation === undefined) return 'extension did not record a last operation yet';
  if (lastOperation.state !== 'Succeeded') return `extension state is not succeeded but ${lastOperation.state}`;
  const asked = metadata.annotations?.['gardener.cloud/timestamp'];
  if (asked === undefined) return null;
  const askedSeconds = Math.floor(Date.parse(asked) / 1_000);
  const isLater = askedSeconds > Date.parse(lastOperation.lastUpdateTime) / 1_000;
  return isLater ? `reconciliation requested at ${asked}, last update time is ${lastOperation.lastUpdateTime}` : null;
}
