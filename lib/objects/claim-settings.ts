// How the names of an object, or of all objects of a Zone, meet those of other clusters: the annotations
// `zone53.dev/standby`, `/sharing` and `/weight`.
import { quote } from '../dns/names/quote.ts';
import { type Annotated, SHARING_ANNOTATION, STANDBY_ANNOTATION, WEIGHT_ANNOTATION } from './annotations.ts';

/** The ways to share a name with other clusters. `exclusive`: it is not shared, whatever the Zone says. */
export const SHARINGS = ['exclusive', 'weighted', 'latency', 'merge'] as const;

/** What the annotations of an object, or of a Zone, say. Absent: nothing. */
export type ClaimSettings = {
  /** It is published only where no other cluster asks for the name. */
  readonly standby?: true;
  readonly sharing?: (typeof SHARINGS)[number];
  /** Of weighted record sets: their share of the answers. */
  readonly weight?: number;
};

const WEIGHT_MAX = 255;

/** The settings in the annotations, and what is wrong with them. */
export function claimSettings({ annotations, oddAnnotations = {} }: Annotated): {
  readonly claim: ClaimSettings;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const read = <Value>(key: string, expected: string, parse: (text: string) => Value | null): Value | undefined => {
    const odd = oddAnnotations[key];
    const text = annotations[key];
    if (odd === undefined && text === undefined) return undefined;
    const value = odd === undefined && text !== undefined ? parse(text.trim()) : null;
    if (value === null)
      problems.push(`metadata.annotations["${key}"]: expected ${expected}, got ${odd ?? quote(text ?? '')}`);
    return value ?? undefined;
  };
  const standby = read(STANDBY_ANNOTATION, '"true" or "false"', (text) =>
    text === 'true' || text === 'false' ? text === 'true' : null,
  );
  const sharing = read(
    SHARING_ANNOTATION,
    '"weighted", "latency", "merge" or "exclusive"',
    (text) => SHARINGS.find((one) => one === text) ?? null,
  );
  const weight = read(WEIGHT_ANNOTATION, `a whole number from 0 to ${WEIGHT_MAX}`, (text) =>
    /^\d{1,3}$/.test(text) && Number(text) <= WEIGHT_MAX ? Number(text) : null,
  );
  const claim = {
    ...(standby === true && { standby }),
    ...(sharing !== undefined && { sharing }),
    ...(weight !== undefined && { weight }),
  };
  return { claim, problems };
}

/** The settings of an object in a Zone: on standby if one of them is; else its own before those of the Zone. */
export function claimIn(zone: ClaimSettings | undefined, own: ClaimSettings | undefined): ClaimSettings | undefined {
  if (zone === undefined || own === undefined) return own ?? zone;
  return { ...zone, ...own };
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
