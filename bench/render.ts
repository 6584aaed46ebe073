// `zone53 render -o json` as users run it, reading files included: 10,000 records in 100 Zones, and 100,000 in 1,000.
// Each size runs in a process of its own, so that its memory is its own.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type BenchResult } from './result.ts';

const SIZES = [
  { records: 10_000, zones: 100 },
  { records: 100_000, zones: 1_000 },
];
/** Runs of each size; the fastest counts. */
const RUNS = 2;
const RATIO_MAX = 12;
const MEMORY_MIB_MAX = 1_024;

type Usage = { readonly ms: number; readonly peakKiB: number };

/** Limits: 10 times the records take at most 12 times as long, and less than 1 GiB. */
export async function benchRender(): Promise<BenchResult> {
  const rows = [];
  for (const { records, zones } of SIZES) {
    const folder = await mkdtemp(join(tmpdir(), 'zone53-bench-'));
    try {
      await writeManifests(folder, records, zones);
      const usages: Usage[] = [];
      for (let run = 0; run < RUNS; run += 1) usages.push(await render(folder));
      const ms = Math.min(...usages.map((usage) => usage.ms));
      const mib = Math.round(Math.max(...usages.map((usage) => usage.peakKiB)) / 1024);
      rows.push({ records, zones, ms, 'peak MiB': mib });
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  const [small, large] = rows as [(typeof rows)[number], (typeof rows)[number]];
  return {
    name: 'render: files to JSON',
    rows,
    limits: [
      atMost('time of ten times the records', large.ms / small.ms, RATIO_MAX),
      atMost('peak MiB', Math.max(...rows.map((row) => row['peak MiB'])), MEMORY_MIB_MAX),
    ],
  };
}

async function writeManifests(folder: string, records: number, zones: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const perZone = records / zones;
  for (let zone = 0; zone < zones; zone += 1) {
    const name = `zone-${String(zone).padStart(5, '0')}`;
    const documents = [manifest('Zone', name, [`domainName: ${name}.example.org.`, DELEGATIONS])];
    for (let record = 0; record < perZone; record += 1) {
      documents.push(
        manifest('Record', `${name}-r${record}`, [
          `domainName: r${record}`,
          `zoneRef: { name: ${name} }`,
          'type: A',
          `rdata: 192.0.${record % 250}.${zone % 250}`,
        ]),
      );
    }
    await writeFile(join(folder, `${name}.yaml`), documents.join('---\n'));
  }
}

const DELEGATIONS = 'delegations: [{ records: [{ pattern: "*" }] }]';

function manifest(kind: string, name: string, spec: readonly string[]): string {
  const lines = spec.map((line) => `  ${line}`).join('\n');
  return `apiVersion: kubi.zone/v1alpha1\nkind: ${kind}\nmetadata: { namespace: bench, name: ${name} }\nspec:\n${lines}\n`;
}

async function render(folder: string): Promise<Usage> {
  const at = (path: string) => new URL(path, import.meta.url).pathname;
  const args = ['--import', at('./report-usage.ts'), at('../cli/main.ts'), 'render', '-f', folder, '-o', 'json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const usage = /^usage (.*)$/m.exec(text)?.[1];
  if (code !== 0 || usage === undefined) throw new Error(`render ended with ${String(code)}: ${text}`);
  return JSON.parse(usage) as Usage;
}
