import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { engine } from './engines.ts';

describe('engine()', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'zone53-engines-'));
    vi.stubEnv('PATH', `${path.join(folder, 'nowhere')}${path.delimiter}${folder}`);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  const program = async (name: string, mode: number) => {
    const file = path.join(folder, name);
    await writeFile(file, '#!/bin/sh\n');
    await chmod(file, mode);
    return file;
  };

  it('finds a program on the PATH', async () => {
    const file = await program('dig', 0o755);
    expect(engine('dig')).toBe(file);
    expect(engine('named-checkzone')).toBeNull();
  });

  it('uses the engines that MOTO_SERVER and KUBEBUILDER_ASSETS name', async () => {
    const file = await program('etcd', 0o755);
    vi.stubEnv('MOTO_SERVER', file);
    vi.stubEnv('KUBEBUILDER_ASSETS', folder);
    expect(engine('moto')).toBe(file);
    expect(engine('etcd')).toBe(file);
    expect(engine('kube-apiserver')).toBeNull();
  });

  it('gives null for DynamoDB Local without Java', () => {
    expect(engine('dynamodb-local')).toBeNull();
  });
});
