// The release before, as it is kept here: its command, and a ledger that it wrote with the Route 53 that fits.
//
//   kept/zone53.cjs.br   the command in one file, compressed; it reads objects from files only
//   kept/package.json    the version that it says
//   kept/state/          the ledger, and the content of Route 53
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';

const HERE = import.meta.dirname;
export const KEPT = path.join(HERE, 'kept');
const run = promisify(execFile);

/** The clusters of zone53.yaml. The objects of each are in a file. */
export const CLUSTERS: readonly string[] = ['eu', 'us'];

/** In which order to apply them: the view of eu extends what us publishes, too. */
export const APPLIED: readonly string[] = ['eu', 'us', 'eu'];

/** What a command needs besides its own words, to work on a cluster in a folder with a ledger. */
export function inCluster(cluster: string, state: string): readonly string[] {
  return [...withConfiguration(state), '-f', `${cluster}.yaml`, '--cluster', cluster];
}

export function withConfiguration(state: string): readonly string[] {
  return ['--config', 'zone53.yaml', '--state', state];
}

/** Puts the kept ledger and its Route 53 into a folder. */
export function copyState(folder: string): void {
  cpSync(path.join(KEPT, 'state'), folder, { recursive: true });
}

/** Serves the Route 53 of a folder. A new one has the hosted zones of zone53.yaml, and nothing in them. */
export async function serveRoute53(folder: string): Promise<Awaited<ReturnType<typeof openLocalRoute53>>> {
  mkdirSync(folder, { recursive: true });
  const route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  if (route53.state.zones().length > 0) return route53;
  const inside = { id: 'vpc-0123456789abcdef0', region: 'eu-west-1' };
  for (const [id, name, vpc] of [
    ['Z0123456789ABCDEFGHIJ', 'example.org.', null],
    ['Z9876543210ABCDEFGHIJ', 'example.org.', inside],
    ['Z1111111111ABCDEFGHIJ', '2.0.192.in-addr.arpa.', null],
  ] as const)
    route53.state.createHostedZone({ id, name, callerReference: id, comment: '', vpc });
  return route53;
}

export type Command = (route53: string, ...argv: string[]) => Promise<{ readonly code: number; readonly text: string }>;

/** Unpacks the command of the release before into a folder. `text` is what it printed, of both kinds. */
export function releaseBefore(folder: string): Command {
  // The command looks for package.json three folders above itself.
  const file = path.join(folder, 'package', 'dist', 'lib', 'zone53.cjs');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, brotliDecompressSync(readFileSync(path.join(KEPT, 'zone53.cjs.br'))));
  cpSync(path.join(KEPT, 'package.json'), path.join(folder, 'package.json'));
  return commandOf(file);
}

/** A command that runs beside the objects, so that no ledger has the place of a checkout. */
export function commandOf(file: string): Command {
  return async (route53, ...argv) => {
    const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };
    const env = {
      ...{ PATH: process.env.PATH ?? '', NO_COLOR: '1', NODE_COMPILE_CACHE: path.join(tmpdir(), 'zone53-compiled') },
      ...{ ...credentials, AWS_ENDPOINT_URL_ROUTE_53: route53 },
    };
    const said = await run(process.execPath, [file, ...argv], { cwd: HERE, env }).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    return { code: said.code, text: said.stdout + said.stderr };
  };
}
