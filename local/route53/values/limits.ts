// The limits that our local Route 53 enforces, each with the unit in its name. They are written from AWS's
// documentation and not from lib/, so that the double cannot share a wrong number with the code that it checks.
// Source: Route 53 Developer Guide "Quotas" and API reference (ChangeResourceRecordSets). Last verified 2026-11-21.

/** ResourceRecord elements of one change batch, aliases included; UPSERT counts twice. */
export const BATCH_ELEMENTS_MAX = 1000;
/** Characters of all Value elements of one change batch, spaces included; UPSERT counts twice. */
export const BATCH_CHARACTERS_MAX = 32_000;
/** Values of one record set. */
export const VALUES_MAX = 400;
/**
 * Record sets of one hosted zone, SOA and NS of its apex included; AWS raises it on request ("Records per hosted
 * zone").
 */
export const ZONE_RECORD_SETS_MAX = 10_000;
/** Record sets with one name and type under a routing policy. */
export const ROUTED_RECORD_SETS_MAX = 100;
/** Geoproximity record sets with one name and type. */
export const GEOPROXIMITY_RECORD_SETS_MAX = 30;
/** Characters of one Value. */
export const VALUE_CHARACTERS_MAX = 4000;
/** Octets of one character string of a TXT value. */
export const CHARACTER_STRING_OCTETS_MAX = 255;
/** Octets of one label. */
export const LABEL_OCTETS_MAX = 63;
/** Octets of a name on the wire, length octets and the root included. */
export const NAME_OCTETS_MAX = 255;
/** Seconds of a TTL. */
export const TTL_SECONDS_MAX = 2_147_483_647;
/** Record sets on one page of ListResourceRecordSets. */
export const RECORD_SETS_PAGE_MAX = 300;
/** Hosted zones on one page of ListHostedZones and ListHostedZonesByName. */
export const HOSTED_ZONES_PAGE_MAX = 100;
/** Health checks of an account that has not asked for more (Developer Guide, quotas). */
export const HEALTH_CHECKS_MAX = 200;
/** Health checks on one page of ListHealthChecks. */
export const HEALTH_CHECKS_PAGE_MAX = 100;
/** CIDR collections, locations or blocks on one page of their lists. */
export const CIDR_PAGE_MAX = 100;
/** CIDR collections of an account. */
export const CIDR_COLLECTIONS_MAX = 5;
/** CIDR blocks of a collection. */
export const CIDR_BLOCKS_MAX = 1000;
/** Entries of one request to create or delete protections of record sets. */
export const REQUEST_PROTECTIONS_MAX = 100;
/** Protections on one page of their list. */
export const PROTECTIONS_PAGE_MAX = 300;
/** Protections of a hosted zone. Amazon says that there is a quota, but not the number: this one is assumed. */
export const ZONE_PROTECTIONS_MAX = 1000;
/** VPCs of a private hosted zone. */
export const ZONE_VPCS_MAX = 300;
