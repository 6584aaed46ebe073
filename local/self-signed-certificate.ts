// A self-signed certificate for one host, made at start: an API server needs one to call a webhook on this machine.
// X.509 v3 (RFC 5280) in DER, ECDSA over P-256 with SHA-256. It is valid for a year, and the key is never written to a
// file.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

/** Certificate and key in PEM. The certificate is its own certificate authority. */
export type SelfSigned = { readonly cert: string; readonly key: string };

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const SEQUENCE = 0x30;
const SET = 0x31;
const OCTET_STRING = 0x04;
const ECDSA_WITH_SHA256 = tlv(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex');

/** A certificate for a DNS name or an IPv4 address. */
export function selfSigned(host: string, nowMs: number): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = tlv(SEQUENCE, tlv(SET, tlv(SEQUENCE, COMMON_NAME, tlv(0x0c, Buffer.from('zone53 local')))));
  const content = tlv(
    SEQUENCE,
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    // The serial number is positive, whatever the random octets: the highest bit is 0, the next one is 1.
    tlv(0x02, Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name,
    tlv(SEQUENCE, utcTime(nowMs - HOUR_MS), utcTime(nowMs + YEAR_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, tlv(SEQUENCE, tlv(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, tlv(OCTET_STRING, tlv(SEQUENCE, hostName(host)))))),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = tlv(
    SEQUENCE,
    content,
    ECDSA_WITH_SHA256,
    tlv(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  return { cert: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** A GeneralName: an IPv4 address in four octets, else a DNS name. */
function hostName(host: string): Buffer {
  if (isIPv6(host)) throw new Error(`Cannot make a certificate for ${host}: write a name or an IPv4 address`);
  return isIPv4(host) ? tlv(0x87, Buffer.from(host.split('.').map(Number))) : tlv(0x82, Buffer.from(host, 'latin1'));
}

function utcTime(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tlv(0x17, Buffer.from(digits.slice(2), 'latin1'));
}

/** Tag, length, value. */
function tlv(tag: number, ...values: readonly Buffer[]): Buffer {
  const value = Buffer.concat(values);
  const { length } = value;
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...octets]), value]);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
