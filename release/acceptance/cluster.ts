// The part of an acceptance run in the cluster, by kubectl and the command zone53 as an operator types them, and dig.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { EMULATOR } from './stack.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** What says that the CRDs in the cluster are those of a run, which may delete them. */
export const NAMESPACE = 'zone53-acceptance';
const CRDS = ['crds/zones.yaml', 'crds/records.yaml'].flatMap((file) => ['-f', path.join(ROOT, file)]);

const run = promisify(execFile);

/** How a run types commands. They end with the signal. */
export type Shell = { readonly context: string; readonly signal: AbortSignal | null };

async function type(
  shell: Pick<Shell, 'signal'>,
  command: string,
  argv: readonly string[],
  input = '',
): Promise<string> {
  const options = { maxBuffer: 2 ** 26, ...(shell.signal !== null && { signal: shell.signal }) };
  const typed = run(command, argv, options);
  // A command may end before it has read its input.
  typed.child.stdin?.on('error', () => {});
  typed.child.stdin?.end(input);
  const { stdout } = await typed;
  return stdout;
}

export async function kubectl(shell: Shell, argv: readonly string[], input = ''): Promise<string> {
  return type(shell, 'kubectl', ['--context', shell.context, ...argv], input);
}

/** Runs zone53. Throws an Error with what it printed if it fails. */
export async function zone53(shell: Shell, ...argv: readonly string[]): Promise<string> {
  try {
    return await type(shell, process.execPath, [path.join(ROOT, 'cli', 'main.ts'), ...argv]);
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    throw new Error(`${(error as Error).message}\n${stdout}`, { cause: error });
  }
}

/** The address and the certificate authority of the API server, as zone53.yaml has them. */
export async function accessOf(
  shell: Shell,
): Promise<{ readonly endpoint: string; readonly certificateAuthority: string }> {
  const said = await kubectl(shell, ['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']);
  const { server, 'certificate-authority-data': certificateAuthority } = JSON.parse(said).clusters[0].cluster;
  return { endpoint: server, certificateAuthority };
}

async function names(shell: Shell, ...what: readonly string[]): Promise<readonly string[]> {
  return (await kubectl(shell, ['get', ...what, '--ignore-not-found', '-o', 'name'])).split('\n').filter(Boolean);
}

const CRD_NAMES = ['crd/zones.kubi.zone', 'crd/records.kubi.zone'];

/** Refuses a cluster that somebody else uses zone53 in: the run would delete its CRDs. */
export async function checkUnused(shell: Shell): Promise<void> {
  if ((await names(shell, ...CRD_NAMES)).length === 0 || (await names(shell, 'namespace', NAMESPACE)).length > 0)
    return;
  throw new Error(
    `The cluster of context ${shell.context} has CRDs of zone53 already, and a run deletes them at its end: use another cluster`,
  );
}

/** Makes the namespace and then the CRDs, and waits until they are served. */
export async function applyCrds(shell: Shell): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await kubectl(shell, ['apply', '-f', '-'], JSON.stringify(namespace));
  await kubectl(shell, ['apply', ...CRDS]);
  await kubectl(shell, ['wait', '--for=condition=Established', '--timeout=60s', ...CRD_NAMES]);
}

/** The objects of zone53 that a run makes: they go first, while the functions still run. */
export async function deleteObjects(shell: Shell): Promise<void> {
  if ((await names(shell, 'namespace', NAMESPACE)).length === 0 || (await names(shell, ...CRD_NAMES)).length < 2)
    return;
  await kubectl(shell, ['delete', 'zones,records', '--all', '-n', NAMESPACE, '--wait=false']);
}

export async function deleteWebhook(shell: Shell): Promise<void> {
  await kubectl(shell, ['delete', 'validatingwebhookconfiguration', 'zone53', '--ignore-not-found']);
}

/** Everything else of a run in the cluster. The namespace goes last: without it, CRDs are somebody else's. */
export async function cleanCluster(shell: Shell): Promise<void> {
  if ((await names(shell, 'namespace', NAMESPACE)).length === 0) return;
  // The API server of a test has no controller that would end a namespace.
  const waits = EMULATOR === null ? ['--timeout=120s'] : ['--wait=false'];
  const gone = ['--ignore-not-found', ...waits];
  await deleteWebhook(shell);
  await kubectl(shell, ['delete', ...gone, '-f', path.join(ROOT, 'crds', 'rbac.yaml')]);
  await kubectl(shell, ['delete', ...gone, ...CRDS]);
  await kubectl(shell, ['delete', ...gone, 'namespace', NAMESPACE]);
}

/** What is left of a run in the cluster and is not being deleted, for people. */
export async function leftInCluster(shell: Shell): Promise<readonly string[]> {
  const found = [...CRD_NAMES, 'clusterrole/zone53', 'validatingwebhookconfiguration/zone53', `namespace/${NAMESPACE}`];
  const said = await kubectl(shell, ['get', ...found, '--ignore-not-found', '-o', 'json']);
  if (said === '') return [];
  const { items = [JSON.parse(said)] } = JSON.parse(said);
  return (items as readonly { kind: string; metadata: { name: string; deletionTimestamp?: string } }[])
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ kind, metadata }) => `${kind} ${metadata.name} of the cluster`);
}

/** What each of these name servers (`HOST` or `HOST#PORT`) answers for the TXT of a name. Null: it does not answer. */
export function dig(signal: AbortSignal | null, servers: readonly string[], name: string): Promise<(string | null)[]> {
  return Promise.all(
    servers.map(async (server) => {
      const [host = '', port = '53'] = server.split('#');
      const argv = [`@${host}`, '-p', port, '+short', '+norecurse', '+time=2', '+tries=1', 'TXT', name];
      const said = await type({ signal }, 'dig', argv).catch((error: { readonly code?: unknown }) => {
        if (error.code === 'ENOENT') throw new Error('Cannot find dig: install it (dnsutils, bind-utils)');
        if (signal?.aborted === true) throw error;
        return null;
      });
      return said === null ? null : said.trim().replaceAll('"', '');
    }),
  );
}
