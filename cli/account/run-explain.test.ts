import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { testFolder } from '../../test/support/test-folder.ts';
import { plainPaint } from '../print/terminal-text.ts';
import { printExplanation } from './print-explanation.ts';
import { runExplain, runMigrate } from './run-explain.ts';

test('explain and migrate say what they cannot read of the manifests', async () => {
  const folder = testFolder();
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  // In a checkout where somebody ran `apply`, the default state folder has a ledger, and a warning would name it.
  process.chdir(folder);
  const route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await route53.close();
  });
  stubRoute53(route53.url);
  const file = path.join(folder, 'dns.yaml');
  await writeFile(file, 'kind: [\n---\napiVersion: kubi.zone/v1alpha1\nkind: Recrod\nmetadata: { name: www }\n');
  const logged: string[] = [];
  const request = {
    config: DEFAULT_CONFIG,
    clock: systemClock,
    log: (level: string, message: string) => void logged.push(`${level} ${message}`),
    progress: () => {},
    source: { kind: 'manifests', paths: [file] },
    store: { kind: 'folder', folder: path.join(folder, 'state'), isNamed: false },
  } as const;
  await runExplain({ ...request, name: 'www.example.org.', type: null });
  const said = [
    expect.stringMatching(/^error .*dns\.yaml:1:8: Cannot parse YAML/),
    expect.stringMatching(/^warn .*dns\.yaml:3: kind "Recrod"/),
  ];
  expect(logged).toEqual(said);
  logged.length = 0;
  await runMigrate({ ...request, ownerId: 'prod' });
  expect(logged).toEqual(said);
  logged.length = 0;
  const unknown = await runExplain({ ...request, source: null, name: 'www.example.org.', type: null });
  expect(logged).toEqual([expect.stringMatching(/^warn The ledger has no objects\..*-f.*--context.*--state/)]);
  expect(printExplanation(unknown, plainPaint)).toContain('In Route 53\n  not read: no hosted zone\n');
});
