// The values that Route 53 takes for its routing policies, in its own case. Last verified 2026-11-27.

/** Regions of latency routing: ResourceRecordSetRegion of the AWS SDK, 3.1169. */
export const ROUTING_REGIONS: ReadonlySet<string> = words(`
  af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1
  ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-central-1 ca-west-1
  cn-north-1 cn-northwest-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3
  eusc-de-east-1 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-gov-east-1
  us-gov-west-1 us-west-1 us-west-2`);

/** Continents of geolocation: API_GeoLocation. */
export const CONTINENTS: ReadonlySet<string> = words('AF AN AS EU NA OC SA');

/** Countries of geolocation: ISO 3166-1 alpha-2, less BV, CX, EH and HM, which API_GeoLocation leaves out. */
export const COUNTRIES: ReadonlySet<string> = words(`
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CC CD
  CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG
  GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP
  KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH
  SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE
  VG VI VN VU WF WS XK YE YT ZA ZM ZW`);

/** Subdivisions of the US: the states, and the District of Columbia. */
export const US_SUBDIVISIONS: ReadonlySet<string> = words(`
  AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA
  RI SC SD TN TX UT VA VT WA WI WV WY`);

/** Types that multivalue answers may have: API_ResourceRecordSet, MultiValueAnswer. */
export const MULTIVALUE_TYPES: ReadonlySet<string> = words('A AAAA CAA HTTPS MX NAPTR PTR SPF SRV SSHFP SVCB TLSA TXT');

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
