// docs/kubernetes.md shows the output of kubectl for the teams example. This test produces the output again on a real
// API server and compares it, except for what differs every time: ages and times, uids, hosted zones and their name
// servers, the date.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { applyCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type Running, startZone53 } from '../support/zone53-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describeWithEngine(['kube-apiserver', 'etcd'], 'the transcripts of docs/kubernetes.md', () => {
  let engine: KubernetesEngine;
  let folder: string;
  let local: Running;

  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-readme-'));
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    local = startZone53(place, ['local', '--context', 'zone53', '--dns-port', '0', '--route53-port', '0']);
    let said = '';
    local.child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    await eventually(() => /^Watching/m.test(said));
    await succeed(engine, ['apply', '-f', path.join(ROOT, 'examples', 'teams')]);
  });
  afterAll(async () => {
    local?.child.kill('SIGINT');
    await local?.ended;
    await engine?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it.each(['kubectl get zones,records -A', 'kubectl describe zone lab -n team-b'])(
    '%s',
    { timeout: 180_000 },
    async (command) => {
      const shown = timeless(transcript(command));
      const [, ...args] = command.split(' ');
      const now = async () => timeless(await succeed(engine, args));
      for (let tries = 0; tries < 4 && (await now()) !== shown; tries += 1)
        await eventually(async () => (await now()) === shown).catch(() => {});
      expect(await now()).toBe(shown);
    },
  );
});

/** The output that the page shows below a command. */
function transcript(command: string): string {
  const text = readFileSync(path.join(ROOT, 'docs', 'kubernetes.md'), 'utf8');
  const found = text.split(`\n$ ${command}\n`)[1]?.split('\n```')[0];
  if (found === undefined) throw new Error(`docs/kubernetes.md does not show "${command}"`);
  return `${found}\n`;
}

/**
 * The text without what differs every time. `Pending` is reported only if Route 53 takes longer than the first report;
 * otherwise one Event has both messages, and here it is split in two.
 */
function timeless(text: string): string {
  const same = text
    .replace(/; Pending: .*$/gm, '')
    .replace(/^( *Normal +)Published( .*); Adopted: (.*)$/gm, '$1Published$2\n$1Adopted AGE zone53 $3')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/\b(\d+m)?\d+s\b|\b\d+m\b/g, 'AGE')
    .replace(/ \(x\d+ over AGE\)/g, '')
    .replace(/\b2\d{9}\b/g, 'SERIAL')
    .replace(/(Resource Version|UID): .*/g, '$1: ANY')
    .replace(/hosted zone Z[A-Z0-9]+/g, 'hosted zone ID')
    .replace(/ +/g, ' ')
    .replace(/-{2,}/g, '--');
  const [body, events = ''] = same.split('\nEvents:\n');
  return [body, ...events.split('\n').toSorted()].join('\n');
}
