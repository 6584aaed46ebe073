// The contract of values: which values each of the 17 types accepts and keeps unchanged, and which it refuses. `npm
// test` has a larger table beside check-value.ts; these are the values for a second implementation.
import { expect } from 'vitest';
import { type Account, type ContractCase, simple } from '../route53-account.ts';

const HEX_32 = 'ab'.repeat(32);

const ACCEPTED: Record<string, readonly string[]> = {
  A: ['192.0.2.1', '255.255.255.255'],
  AAAA: ['2001:db8::1', '::ffff:192.0.2.1'],
  CAA: ['0 issue "ca.example.net"', '128 iodef "mailto:a@example.com"'],
  CNAME: ['target.example.net.'],
  DS: [`12345 13 2 ${HEX_32}`],
  HTTPS: ['1 . alpn="h3,h2" port=8443', '2 svc.example.net. ipv4hint=192.0.2.1'],
  MX: ['10 mail.example.com.', '20 mail2.example.com'],
  NAPTR: ['100 50 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .', '10 10 "s" "SIP+D2U" "" _sip._udp.example.com.'],
  NS: ['ns1.example.net.', 'ns2.example.net.'],
  PTR: ['host.example.net.'],
  SPF: ['"v=spf1 -all"'],
  SRV: ['10 5 443 host.example.net.', '0 0 0 .'],
  SSHFP: [`4 2 ${HEX_32}`],
  SVCB: ['0 target.example.net.'],
  TLSA: [`3 1 1 ${HEX_32}`],
  TXT: ['"one" "two"', '"caf\\303\\251"', '"say \\"hi\\""', '"back\\\\slash"', `"${'x'.repeat(255)}"`, '"<&>"'],
};

const REFUSED: readonly (readonly [type: string, value: string])[] = [
  ['A', '192.0.2.256'],
  ['A', '2001:db8::1'],
  ['AAAA', '192.0.2.1'],
  ['AAAA', '2001:db8:::1'],
  ['CAA', '0 issue ca.example.net'],
  ['CNAME', 'a b.example.com'],
  ['DS', '12345 13 2 abc'],
  ['HTTPS', '1 . alpn=h2 alpn=h3'],
  ['MX', 'mail.example.com.'],
  ['MX', '65536 mail.example.com.'],
  ['NAPTR', '100 50 u E2U+sip . .'],
  ['NS', `${'a'.repeat(64)}.example.com.`],
  ['SPF', 'v=spf1 -all'],
  ['SRV', '10 5 host.example.net.'],
  ['SSHFP', '4 2 xyz'],
  ['SVCB', 'target.example.net.'],
  ['TLSA', '3 1 1 abc'],
  ['TXT', 'not quoted'],
  ['TXT', '"open'],
  ['TXT', '"a" b'],
  ['TXT', '"decimal \\999"'],
  ['TXT', `"${'x'.repeat(256)}"`],
  ['TXT', '"café"'],
  ['TXT', `"${'x'.repeat(250)}" `.repeat(16)],
];

/** Values of every type that are accepted and kept unchanged. */
export const keptValueCases: readonly ContractCase[] = [
  ...Object.entries(ACCEPTED).map(([type, values]) => ({
    name: `${type} values are kept as they were sent`,
    run: async (account: Account) => {
      const { id } = await account.createZone();
      await account.change(id, simple('CREATE', 'v.example.com', type, values));
      const found = (await account.list(id)).find(({ Name }) => Name === 'v.example.com.');
      expect(found?.Type).toBe(type);
      expect(found?.ResourceRecords?.map(({ Value }) => Value).toSorted()).toEqual(values.toSorted());
      await account.change(id, simple('DELETE', 'v.example.com', type, values));
    },
  })),
];

/** Values that are refused. An engine that does not check values accepts all of them. */
export const refusedValueCases: readonly ContractCase[] = [
  ...REFUSED.map(([type, value]) => ({
    name: `${type} refuses ${value.slice(0, 30)} (${value.length})`,
    run: async (account: Account) => {
      const { id } = await account.createZone();
      const message = await account.refused(id, simple('CREATE', 'v.example.com', type, [value]));
      expect(message).toContain('Invalid Resource Record: FATAL problem: ');
      expect(message).toContain(`encountered with '${value}'`);
    },
  })),
];
