// From outside: targets without their last dot (StackExchange/dnscontrol#719, #2892, Azure/ARO-HCP#306).

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { testFolder } from '../support/test-folder.ts';

const FOLDER = path.join(import.meta.dirname, '15-single-label-in-mx-ns-srv');

test('each type has the note that a CNAME has', async () => {
  const { out } = await runHere('render', '-f', FOLDER);
  const notes = [...out.matchAll(/^ {4}the target (\S+) .*: (\S+) may have been meant$/gm)];
  expect(notes.map(([, target, meant]) => `${target} ${meant}`)).toEqual([
    'www. www.single.test.',
    'svc. svc.single.test.',
    'mail. mail.single.test.',
    'www.single.test.single.test. www.single.test.',
    'ns1. ns1.single.test.',
    'host. host.single.test.',
    'sip. sip.single.test.',
  ]);
});

test('an MX, an NS and an SRV to a CNAME have a note', async () => {
  const folder = testFolder();
  const record = (name: string, domainName: string, type: string, rdata: string) =>
    `---\napiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: ${name}, namespace: p }\nspec: { domainName: ${domainName}, type: ${type}, rdata: "${rdata}" }\n`;
  writeFileSync(
    path.join(folder, 'zone.yaml'),
    `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: z, namespace: p }
spec: { domainName: e.test., delegations: [{ records: [{ pattern: "*" }, { pattern: "@" }] }] }
${record('c', 'c.e.test.', 'CNAME', 'lb.example.net')}${record('m', 'e.test.', 'MX', '10 c.e.test.')}${record('n', 's.e.test.', 'NS', 'C.e.test')}${record('s', '_a._tcp.e.test.', 'SRV', '0 0 1 c.e.test.')}${record('t', 't.e.test.', 'CNAME', 'c.e.test.')}`,
  );
  const { err } = await runHere('render', '-f', folder);
  expect(err.match(/^note:? \S+ (MX|NS|SRV): its target c\.e\.test\. is a CNAME, and it needs/gm)).toHaveLength(3);
});
