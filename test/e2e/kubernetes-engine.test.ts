// The Kubernetes engine itself: however the test process ends, no server and no folder is left.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { eventually } from '../engines/kubernetes/apply.ts';
import { startKubernetes } from '../engines/kubernetes/start.ts';

const START = path.join(import.meta.dirname, '..', 'engines', 'kubernetes', 'start.ts');

describeWithEngine(['kube-apiserver', 'etcd'], 'startKubernetes()', () => {
  it('stops, and leaves nothing behind', async () => {
    const engine = await startKubernetes();
    await engine.stop();
    expect(existsSync(path.dirname(engine.kubeconfig))).toBe(false);
    expect(await isListening(engine.url)).toBe(false);
  });

  it('leaves nothing behind when the process that started it is killed', async () => {
    const script = `import { startKubernetes } from ${JSON.stringify(START)};
      const engine = await startKubernetes();
      console.log(JSON.stringify([engine.url, engine.kubeconfig]));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
    const [url, kubeconfig] = JSON.parse(line) as [string, string];
    expect(await isListening(url)).toBe(true);
    child.kill('SIGKILL');
    await eventually(async () => !existsSync(path.dirname(kubeconfig)) && !(await isListening(url)));
  });
});

async function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    (error: Error & { cause?: { code?: string } }) => error.cause?.code !== 'ECONNREFUSED',
  );
}
