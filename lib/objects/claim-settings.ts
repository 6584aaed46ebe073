// How the names of an object, or of all objects of a Zone, meet those of other clusters: the annotation
// `zone53.dev/standby`.
import { quote } from '../dns/names/quote.ts';
import { type Annotated, STANDBY_ANNOTATION } from './annotations.ts';

/** What the annotations of an object, or of a Zone, say. Absent: nothing. */
export type ClaimSettings = {
  /** It is published only where no other cluster asks for the name. */
  readonly standby?: true;
};

/** The settings in the annotations, and what is wrong with them. */
export function claimSettings({ annotations, oddAnnotations = {} }: Annotated): {
  readonly claim: ClaimSettings;
  readonly problems: readonly string[];
} {
  const key = STANDBY_ANNOTATION;
  const odd = oddAnnotations[key];
  const text = annotations[key]?.trim() ?? 'false';
  const isValid = odd === undefined && (text === 'true' || text === 'false');
  const got = odd ?? quote(annotations[key] ?? '');
  return {
    claim: isValid && text === 'true' ? { standby: true } : {},
    problems: isValid ? [] : [`metadata.annotations["${key}"]: expected "true" or "false", got ${got}`],
  };
}

const ON_STANDBY = 'On standby: ';

/** The message about what waits on standby. */
export function waitsOnStandby(recordSet: string, cluster: string): string {
  return `${ON_STANDBY}cluster ${cluster} has ${recordSet}, or what cannot stand beside it. It moves to this cluster when cluster ${cluster} asks for it no longer, or when this cluster is active and cluster ${cluster} is on standby.`;
}

/** True for the message about what waits on standby: nothing is wrong. */
export function saysOnStandby(message: string): boolean {
  return message.includes(ON_STANDBY);
}
