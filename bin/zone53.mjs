#!/usr/bin/env node
// Starts the command on a Node that can run it. Plain JavaScript of 2018 on purpose, so that an old Node can still say
// what is wrong: nothing newer may stand in this file, and nothing newer is imported before the version is known.
//
//   this Node 24 or newer                     runs the command itself
//   older, `node@24` installed as a package   runs the command on that one (npm ci in a checkout brings it along)
//   older, and none                           says so and how to get one; exit code 1
//
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node knows no `node:`
import { spawn, spawnSync } from 'child_process';
import { existsSync } from 'fs';
import { dirname, join } from 'path';
import { fileURLToPath, pathToFileURL } from 'url';

const MAJOR_MIN = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
// A package ships compiled code only: Node strips no types below node_modules.
const source = join(root, 'cli', 'main.ts');
const entry = existsSync(source) ? source : join(root, 'dist', 'cli', 'main.js');

function majorOf(version) {
  const match = /^v?(\d+)\./.exec(version);
  return match === null ? 0 : Number(match[1]);
}

/** Node as the npm package `node` puts it, in the checkout or beside the installed package. */
function findNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const folders = [join(root, 'node_modules'), dirname(root)];
  const candidates = folders.map((folder) => join(folder, 'node', 'bin', name));
  return candidates.find((candidate) => {
    if (!existsSync(candidate)) return false;
    const asked = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
    return asked.status === 0 && majorOf(asked.stdout) >= MAJOR_MIN;
  });
}

function runOn(node) {
  // The child ends when this process is gone, however it went: see cli/end-with-parent.ts.
  const env = Object.assign({}, process.env, { ZONE53_LAUNCHED: '1' });
  const child = spawn(node, [entry].concat(process.argv.slice(2)), { stdio: 'inherit', env: env });
  // A terminal sends Ctrl-C to both; what is sent to this process alone is passed on.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('error', (error) => {
    console.error(`Cannot run ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code === null ? 1 : code;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function start() {
  if (majorOf(process.version) >= MAJOR_MIN) {
    import(pathToFileURL(entry).href).catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
    return;
  }
  const node = findNode();
  if (node !== undefined) {
    runOn(node);
    return;
  }
  console.error(`zone53 needs Node ${MAJOR_MIN} or newer, and this is Node ${process.version}.`);
  console.error(
    existsSync(source)
      ? 'Run "npm ci" here: it brings the right Node along. Or install one from https://nodejs.org.'
      : `Install one from https://nodejs.org, or run "npm install node@${MAJOR_MIN}" beside zone53: it is then found.`,
  );
  process.exitCode = 1;
}

start();
