// The locations of routing policies: AWS regions for latency and geoproximity; continents, countries and US states for
// geolocation. Written from AWS's documentation and not from lib/, so that the double cannot share a wrong code.
// Source: API reference ResourceRecordSet (Region), GeoLocation; ISO 3166-1; USPS state codes. Last verified
// 2026-11-22.

/** The AWS regions that a latency record set may name. */
export const REGIONS: readonly string[] = [
  ...['af-south-1', 'ap-east-1', 'ap-east-2', 'ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1'],
  ...['ap-south-2', 'ap-southeast-1', 'ap-southeast-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5'],
  ...['ap-southeast-6', 'ap-southeast-7', 'ca-central-1', 'ca-west-1', 'cn-north-1', 'cn-northwest-1', 'eu-central-1'],
  ...['eu-central-2', 'eu-north-1', 'eu-south-1', 'eu-south-2', 'eu-west-1', 'eu-west-2', 'eu-west-3'],
  ...['eusc-de-east-1', 'il-central-1', 'me-central-1', 'me-south-1', 'mx-central-1', 'sa-east-1', 'us-east-1'],
  ...['us-east-2', 'us-gov-east-1', 'us-gov-west-1', 'us-west-1', 'us-west-2'],
];

/** Continents by code. */
export const CONTINENTS: Readonly<Record<string, string>> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};

/** Codes that CLDR has and ISO 3166-1 does not assign: groups, former countries, private use. */
const NO_COUNTRIES = new Set(
  'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH NT QO QU RH SU TA TP UK UN VD WK XA XB YD YU ZR ZZ'.split(' '),
);

const NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** The English name of a country by its ISO code; `Default` for `*`; undefined if the code is not a country's. */
export function countryName(code: string): string | undefined {
  if (code === '*') return 'Default';
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRIES.has(code) ? NAMES.of(code) : undefined;
}

/** The subdivision codes of the country US. */
export const US_STATES: ReadonlySet<string> = new Set(
  [
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK',
    'OR PA RI SC SD TN TX UT VT VA WA WV WI WY',
  ]
    .join(' ')
    .split(' '),
);
