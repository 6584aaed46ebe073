// Seeds that once failed, each with its defect. `npm run simulation` runs them first. A change of the simulation may
// change what such a seed does, so each defect also has a test of its own next to the code that was mended
// (docs/invariants.md).

export type Regression = {
  readonly seed: number;
  readonly was: string;
  /**
   * Found when there were slow writes and a sub-zone of the sub-zone already (`kinds`: and other kinds of objects,
   * routed Records and Services, too; `sleepers`: and processes that sleep longer than their turn, and denials); the
   * others were found without, and are run so.
   */
  readonly asFound?: true | 'kinds' | 'sleepers';
};

export const REGRESSIONS: readonly Regression[] = [
  { seed: 95, was: 'publishedCount still counted a record set that the sweep had found missing' },
  { seed: 311, was: 'a status said Published for a new spec while the ledger still desired the former content' },
  { seed: 107, was: 'a run died while it read a forged label, and the label was never corrected' },
  { seed: 525, was: 'the guard did not count the deletes of an overtaken run' },
  { seed: 3406, was: 'an overtaken run asked for a recount, and no run made it' },
  { seed: 692, was: 'a report read the directory while a Zone changed its name, and crashed' },
  { seed: 714, was: 'an overtaken report left its older status on the object for ever' },
  { seed: 439, was: 'a live Zone with an invalid edit was sent to report again and again' },
  { seed: 2093, was: 'a CREATE landed late, after its Record was deleted, and was never undone' },
  { seed: 3294, was: "an overtaken run took its successor's intents for those of a dead run" },
  { seed: 5297, was: 'two runs each took another Zone of one name as live, and two hosted zones were created' },
  { seed: 5814, was: 'two runs saved one object, one of them died, and the object stayed unsettled' },
  { seed: 9459, was: 'a run died at its dirty mark, and nobody sent its message to publish' },
  {
    seed: 2115,
    was: 'an overtaken run settled a record set and died, and the count of its hosted zone stayed wrong',
  },
  {
    seed: 1_031_349,
    was: 'a record set that a Zone had left and a stranger had edited blocked the takeover of the next Zone',
  },
  { seed: 1_033_988, was: 'a late write that no run had looked for within an hour counted as a stranger’s' },
  {
    seed: 1_080_194,
    was: 'an overtaken run saved what it had read before over what its successor had published again',
  },
  { seed: 1_100_101, was: 'a late write beside a takeover was deleted without the guard' },
  { seed: 1_113_852, was: 'a status was written, could not be saved, and stayed when everything was as before again' },
  { seed: 1_152_095, was: 'a delete of an overtaken run was never counted if two other runs had ended meanwhile' },
  { seed: 1_305_546, was: 'a delete of an overtaken run, made while the next run read, was in no count of the guard' },
  {
    seed: 1_329_953,
    was: 'a refused delete that waited for other changes stayed when the change refused with it was gone',
  },
  { seed: 1_251_296, was: 'a delete that was given up, and landed unseen, was in no count of the guard' },
  { seed: 1_310_796, was: 'the same, and its record set was wanted again' },
  { seed: 1_331_937, was: 'the same, in a batch of several changes' },
  {
    seed: 1_437_149,
    was: 'a run wrote an SOA and died, and this SOA stayed when the former one was wanted again',
  },
  {
    seed: 1_547_956,
    was: 'a delete of an overtaken run, made between two readings of the next run, was in neither count',
  },
  {
    seed: 1_553_983,
    was: 'a refused delete stayed when the change refused with it was no longer wanted, and its item was gone',
  },
  { seed: 1_556_037, was: 'an acknowledged delete without an answer was forgotten until the sweep' },
  { seed: 1_571_098, was: 'two runs wrote one name at once, one of them died, and the name was never marked dirty' },
  { seed: 1_757_521, was: 'an invalid Zone kept showing a parent that had adopted it while a run failed' },
  { seed: 2_266_066, was: 'a label that was forged before the first report was saved was never corrected' },
  { seed: 2_553_184, was: 'deletes that an overtaken run held were never reported' },
  {
    seed: 2_489_628,
    was: 'a Zone was reported while its sub-zone showed something else for a moment, and kept showing that',
  },
  {
    seed: 2_757_517,
    was: 'a run desired record sets for a Record that another run saw deleted meanwhile; it died, and they stayed',
    asFound: true,
  },
  {
    seed: 2_910_213,
    was: 'an overtaken run began a delete between two readings of the next run, and died: the delete was in no count',
    asFound: true,
  },
  {
    seed: 12_486,
    was: 'two record sets of one name, each tried again alone and refused, were tried again at once and for ever',
    asFound: 'kinds',
  },
  { seed: 21_480, was: 'a lease was renewed with a time in the past' },
  {
    seed: 25_679,
    was: 'a DNSRecord whose Secret now names another account was no longer searched for, and succeeded',
    asFound: true,
  },
  {
    seed: 40_721,
    was: 'a record set that one DNSRecord had given up before it existed was denied to another that wanted it',
    asFound: true,
  },
  {
    seed: 72_081,
    was: 'after the finalizer was removed, a run for another DNSRecord of its name sent what was wanted and never existed',
    asFound: 'kinds',
  },
  {
    seed: 81_059,
    was: 'a DNSRecord kept its finalizer for ever, because its migrate annotation was overwritten before the last step',
    asFound: 'kinds',
  },
  {
    seed: 1425,
    was: 'a run died between the refusal of an alias and the note at its target, and the alias was not tried again',
    asFound: 'kinds',
  },
  {
    seed: 9604,
    was: 'an alias was given up because the change of its target in the same batch was refused',
    asFound: 'kinds',
  },
  {
    seed: 211_957,
    was: 'a TXT record of external-dns for two record sets was deleted with one, because the other was no longer wanted',
    asFound: 'kinds',
  },
  { seed: 212_824, was: 'the same, after a run had died while it worked on the other', asFound: 'kinds' },
  {
    seed: 219_673,
    was: 'a record set that one DNSRecord adopted while it was sent for another was saved as the other’s',
    asFound: 'kinds',
  },
  {
    seed: 353_118,
    was: 'the new set identifier of an object was refused for ever because somebody had edited the old record set',
    asFound: 'kinds',
  },
  {
    seed: 592_772,
    was: 'a run that had found no DNSRecord of a name before forgot what a DNSRecord of this name had published',
    asFound: 'kinds',
  },
  {
    seed: 473_388,
    was: 'two runs of one process served a DNSRecord at once after another one of their batch had failed',
    asFound: 'kinds',
  },
  {
    seed: 711_387,
    was: 'a DNSRecord was restored without its finalizer, as its migration had just ended',
    asFound: 'kinds',
  },
  { seed: 599_783, was: 'a sweep forgot which alias waited for a target that was created later', asFound: 'kinds' },
  {
    seed: 476_516,
    was: 'a delete was not counted, as a record set of its name was to be created, and Route 53 refused that one',
    asFound: 'kinds',
  },
  {
    seed: 476_813,
    was: 'the auditor counted a delete beside a record set that was given up while the batch waited for its turn',
    asFound: 'kinds',
  },
  {
    seed: 716_612,
    was: 'the auditor took a takeover that was given up for a delete, as a stranger had written the content again',
    asFound: 'kinds',
  },
  {
    seed: 710_834,
    was: 'the auditor took the other record set of a name that was refused before for one of a name that never was',
    asFound: 'kinds',
  },
  {
    seed: 818_723,
    was: 'the auditor took a record set of ours, to which a stranger had given the desired content, for foreign',
    asFound: 'kinds',
  },
  {
    seed: 714_786,
    was: 'the auditor denied a name to a Zone before any run had seen the older Zone above it',
    asFound: 'kinds',
  },
  {
    seed: 717_650,
    was: 'the auditor wanted a status to stay when Route 53 gave another reason, as two things were wrong',
    asFound: 'kinds',
  },
  {
    seed: 712_363,
    was: 'two overlapping runs left a TXT record of external-dns to each other, and it stayed for ever',
    asFound: 'kinds',
  },
  { seed: 950_723, was: 'the same, after external-dns had written one of the two record sets again', asFound: 'kinds' },
  {
    seed: 811_642,
    was: 'the auditor took a record set for never adopted that a stranger had deleted just before its TXT records went',
    asFound: 'kinds',
  },
  {
    seed: 3_001_865,
    was: 'a DNSRecord that was created again kept a name that it did not ask for and that a stranger had deleted',
    asFound: 'kinds',
  },
  { seed: 3_044_702, was: 'the same, after a run had died while it created the record set', asFound: 'kinds' },
  { seed: 3_008_409, was: 'a change by hand beside a plain edit was not reported', asFound: 'kinds' },
  { seed: 3_041_121, was: 'the same, of a record set that was deleted by hand', asFound: 'kinds' },
  {
    seed: 3_031_322,
    was: 'the auditor took a name for lost that had moved to the other hosted zone of the same name',
    asFound: 'kinds',
  },
  {
    seed: 5_107_242,
    was: 'a DNSRecord that was deleted with takeover left an alias that it had adopted to itself in the ledger',
    asFound: 'kinds',
  },
  {
    seed: 5_217_446,
    was: 'a process that had read an older DNSRecord of the name forgot the operation of the newer one, which another had begun',
    asFound: 'kinds',
  },
  {
    seed: 6_001_248,
    was: 'a process that slept longer than its turn wrote the status of an older spec over that of a newer one',
    asFound: 'sleepers',
  },
  {
    seed: 6_001_716,
    was: 'a process that slept longer than its turn published an older spec of a DNSRecord over a newer one',
    asFound: 'sleepers',
  },
  {
    seed: 6_628,
    was: 'a process that slept while it noted what a DNSRecord wants published an older spec over a newer one',
    asFound: 'sleepers',
  },
  {
    seed: 20_009_770,
    was: 'a process that slept longer than its turn, while it read its lease, sent what another had given up meanwhile',
    asFound: 'sleepers',
  },
  {
    seed: 20_010_784,
    was: 'a DNSRecord that had moved and never succeeded kept a name of which a stranger had overwritten the record set',
    asFound: 'sleepers',
  },
  {
    seed: 10_003_139,
    was: 'a process that slept after a restore removed the annotation with which the next one was asked',
    asFound: 'sleepers',
  },
  {
    seed: 5_000_019,
    was: 'a hosted zone whose changes were denied, more than four of them for the second time, was published without a pause',
    asFound: 'sleepers',
  },
  {
    seed: 5_001_368,
    was: 'two hosted zones whose delegations were denied woke each other for ever',
    asFound: 'sleepers',
  },
  {
    seed: 7156,
    was: 'a Zone that a run with a slow clock saw had asked for its name before the Zone above, which was seen first',
    asFound: 'sleepers',
  },
  {
    seed: 8094,
    was: 'a TXT record of external-dns went with a record set that was gone, although another needed it by then',
    asFound: 'sleepers',
  },
  {
    seed: 4771,
    was: 'the auditor took for ours what external-dns had written again under a takeover that never wrote',
    asFound: 'sleepers',
  },
];

/**
 * True for a seed that was found before there were slow writes and a sub-zone of the sub-zone: it is told without them.
 */
export function isOlderRegression(seed: number): boolean {
  return REGRESSIONS.some((regression) => regression.seed === seed && regression.asFound === undefined);
}

/**
 * True for a seed that was found before tenants wrote anything but Zones and plain Records: it is told without the
 * rest.
 */
export function isOlderThanKinds(seed: number): boolean {
  return REGRESSIONS.some(({ seed: found, asFound }) => found === seed && (asFound === undefined || asFound === true));
}

/** True for a seed that was found before processes slept, and before Route 53 denied anything for a while. */
export function isOlderThanSleepers(seed: number): boolean {
  return REGRESSIONS.some((regression) => regression.seed === seed && regression.asFound !== 'sleepers');
}
