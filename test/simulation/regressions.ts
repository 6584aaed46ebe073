// Seeds that once failed, each with its defect. They always run first. A change of the simulation may change what such
// a seed does, so each defect also has a test of its own next to the code that was mended (docs/invariants.md).

export type Regression = {
  readonly seed: number;
  readonly was: string;
  /**
   * Found when there were slow writes and a sub-zone of the sub-zone already (`kinds`: and other kinds of objects,
   * routed Records and Services, too); the others were found without, and are run so.
   */
  readonly asFound?: true | 'kinds';
};

export const REGRESSIONS: readonly Regression[] = [
  { seed: 95, was: 'a record set that the sweep found lost stayed in publishedCount' },
  { seed: 311, was: 'Published was said of a new spec while the ledger still asked for the old content' },
  { seed: 107, was: 'a run that died while it looked at a forged label left the label for good' },
  { seed: 525, was: 'the guard never heard of what an overtaken run had deleted' },
  { seed: 3406, was: 'a count that an overtaken run had asked for was taken by nobody' },
  { seed: 692, was: 'a report read the directory while a Zone changed its name, and crashed' },
  { seed: 714, was: 'a report that was overtaken left its older status on the object for good' },
  { seed: 439, was: 'a live Zone with an invalid edit was reported for ever' },
  { seed: 2093, was: 'a CREATE that landed late, after its Record was gone, stood for ever' },
  { seed: 3294, was: "an overtaken run took its successor's intents for a dead one's" },
  { seed: 5297, was: 'two Zones of one name, each seen as live by one run, made two hosted zones' },
  { seed: 5814, was: 'a run that died over an object which another had noted too left it unsettled' },
  { seed: 9459, was: 'a run died on its dirty mark, and nobody asked for the publish that it owed' },
  {
    seed: 2115,
    was: 'a run that was overtaken, settled a record set and died left the count of its hosted zone wrong for good',
  },
  { seed: 1_031_349, was: "what a Zone left over and a stranger edited stood in the way of its successor's takeover" },
  { seed: 1_033_988, was: 'a late write that nobody had looked for within the hour was taken for a stranger’s' },
  {
    seed: 1_080_194,
    was: 'what a run had seen before it was overtaken was noted over what its successor had published anew',
  },
  { seed: 1_100_101, was: 'a late write beside what was taken over was deleted without asking the guard' },
  { seed: 1_113_852, was: 'a status that was written and could not be noted stayed when all was as before again' },
  { seed: 1_152_095, was: 'what an overtaken run had deleted was never counted where two others had ended meanwhile' },
  { seed: 1_305_546, was: 'what an overtaken run deleted while the next one looked was in no count of its guard' },
  { seed: 1_329_953, was: 'a refused delete that waited for others stayed when what was refused beside it had gone' },
  { seed: 1_251_296, was: 'a delete that was given up and landed unseen was in no count of the guard' },
  { seed: 1_310_796, was: 'the same, where its record set was wanted again' },
  { seed: 1_331_937, was: 'the same, in a batch of several' },
  {
    seed: 1_437_149,
    was: 'an SOA that a run had written before it died stayed when what it had replaced was wanted again',
  },
  { seed: 1_547_956, was: 'what an overtaken run deleted between two readings of the next one was in neither count' },
  {
    seed: 1_553_983,
    was: 'a refused delete stayed when what it was refused with was wanted no more, and its item gone',
  },
  { seed: 1_556_037, was: 'an acknowledged delete that got no answer was forgotten until the sweep' },
  { seed: 1_571_098, was: 'what two runs wrote at once, of which one died, was never marked' },
  { seed: 1_757_521, was: 'an invalid Zone kept showing a parent that had it while a run failed' },
  { seed: 2_266_066, was: 'a label that was forged before the first report was noted stayed' },
  { seed: 2_553_184, was: 'what an overtaken run held was said by nobody' },
  {
    seed: 2_489_628,
    was: 'a Zone that was reported while a sub-zone said something else for a moment went on showing that',
  },
  {
    seed: 2_757_517,
    was: 'what a run wanted for a Record that another had seen deleted meanwhile stayed, as it died',
    asFound: true,
  },
  {
    seed: 2_910_213,
    was: 'a delete that an overtaken run began between two readings of the next one, and died over, was in no count',
    asFound: true,
  },
  {
    seed: 12_486,
    was: 'two record sets of one name that were tried again and refused, each by itself, were tried again at once and for ever',
    asFound: 'kinds',
  },
  { seed: 21_480, was: 'a lease was renewed with a time that had passed' },
  {
    seed: 25_679,
    was: 'a DNSRecord whose Secret is of another account since was not looked for any more, and succeeded',
    asFound: true,
  },
  {
    seed: 40_721,
    was: 'what one DNSRecord had given up, and never stood, was kept from another that wanted it',
    asFound: true,
  },
  {
    seed: 72_081,
    was: 'what a DNSRecord wanted, and never stood, was sent by the run of another of its name after it was let go',
    asFound: 'kinds',
  },
  {
    seed: 81_059,
    was: 'a DNSRecord kept its finalizer for good, as its migrate annotation was written over before the last step',
    asFound: 'kinds',
  },
  {
    seed: 1425,
    was: 'a run that died between the refusal of an alias and the note at its target left the alias untried',
    asFound: 'kinds',
  },
  {
    seed: 9604,
    was: 'an alias was given up because of a target whose own change in the same batch was refused',
    asFound: 'kinds',
  },
  {
    seed: 211_957,
    was: 'the TXT record of external-dns for two record sets went with one, as the other was not wanted any more',
    asFound: 'kinds',
  },
  { seed: 212_824, was: 'the same, where a run had died over the other', asFound: 'kinds' },
  {
    seed: 219_673,
    was: 'what one DNSRecord took up while it was sent for another was noted as the other’s',
    asFound: 'kinds',
  },
  {
    seed: 353_118,
    was: 'the new set identifier of an object was refused for good where somebody had edited the old one',
    asFound: 'kinds',
  },
  {
    seed: 592_772,
    was: 'what a DNSRecord had published was forgotten by a run that had found no object of its name before',
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
  { seed: 599_783, was: 'a sweep forgot which alias waited for a target that came later', asFound: 'kinds' },
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
  return REGRESSIONS.some((regression) => regression.seed === seed && regression.asFound !== 'kinds');
}
