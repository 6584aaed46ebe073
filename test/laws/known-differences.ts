// Where `apply` does something else than `plan` says, with the reason. Each has the smallest world that shows it; a
// test fails when it no longer does, so that the row goes.
import type { Final } from './plan-differences.ts';
import type { Script, Step } from './scripted-world.ts';

export type KnownDifference = {
  readonly name: string;
  readonly why: string;
  /** True for the line of the difference. */
  readonly isIt: RegExp;
  readonly script: Script;
  readonly final: Final;
};

const PLAIN = { isStrict: false, hasRegistry: false, takesEqual: false, touchesOurs: false };
const AS_IS: Final = { acknowledges: false, refreshes: false };
const REFRESHES: Final = { acknowledges: false, refreshes: true };
const APPLY: Step = { does: 'apply', acknowledges: false, dies: null };

export const KNOWN: readonly KnownDifference[] = [
  {
    name: 'what was changed by hand, without --refresh',
    why: 'A plan reads Route 53 where it creates. What it changes or deletes it reads only with --refresh.',
    isIt: /^update .*: promised published, ended drifted/,
    script: {
      ...PLAIN,
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'a', kind: 'a' },
        APPLY,
        { does: 'meddle', name: 'a', what: 'other' },
        { does: 'declare', name: 'a', kind: 'b' },
      ],
    },
    final: AS_IS,
  },
  {
    name: 'what Route 53 does not allow beside a record set of ours that was changed by hand and is to go',
    why: 'A plan asks only whether record sets that were never ours stand in the way.',
    isIt: /: promised \w+, ended rejected/,
    script: {
      ...PLAIN,
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'd', kind: 'b' },
        APPLY,
        { does: 'declare', name: 'd', kind: 'one' },
        { does: 'meddle', name: 'd', what: 'equal' },
      ],
    },
    final: REFRESHES,
  },
  {
    name: 'what Route 53 refuses',
    why: 'Only a call can tell. A record set that is refused does not come, so it may count for other deletes.',
    isIt: /^refused by Route 53 now/,
    script: {
      ...PLAIN,
      steps: [
        { does: 'declare', name: 'a', kind: 'a' },
        { does: 'refuse', name: 'a' },
      ],
    },
    final: AS_IS,
  },
  {
    name: 'what waits for another hosted zone',
    why: 'The order across hosted zones is decided while they are published, each by itself.',
    isIt: /ended failed \| .*Waits: /,
    script: {
      ...PLAIN,
      steps: [
        { does: 'declare', name: 'a', kind: 'text' },
        { does: 'sub-zone', on: true },
        { does: 'declare', name: 'w.s', kind: 'a' },
        { does: 'serve', dies: null },
        { does: 'sub-zone', on: false },
        { does: 'meddle', name: 'a', what: 'equal' },
        { does: 'declare', name: 'a', kind: 'nothing' },
      ],
    },
    final: AS_IS,
  },
  {
    name: 'the owner that external-dns has noted, in the words about what was changed by hand',
    why: 'A comparison does not read the TXT record sets in which external-dns notes owners; publish does.',
    isIt: /^words .* drifted: .* \| .* It belongs to external-dns /,
    script: {
      ...PLAIN,
      hasRegistry: true,
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'a', kind: 'weighted' },
        APPLY,
        { does: 'note', name: 'a', owner: 'other' },
        { does: 'declare', name: 'a', kind: 'both' },
        APPLY,
        { does: 'meddle', name: 'a', what: 'other' },
        { does: 'declare', name: 'a', kind: 'nothing' },
      ],
    },
    final: REFRESHES,
  },
  {
    name: 'the words about a neighbour in the way, at what is tied to the create',
    why: 'A plan says what it read; publish says which rule the refusal of Route 53 is about.',
    isIt: /^words .* foreign: Waits for /,
    script: {
      ...PLAIN,
      touchesOurs: true,
      steps: [
        { does: 'declare', name: 'c', kind: 'both' },
        APPLY,
        { does: 'meddle', name: 'c', what: 'text' },
        { does: 'declare', name: 'c', kind: 'cname' },
      ],
    },
    final: REFRESHES,
  },
];
