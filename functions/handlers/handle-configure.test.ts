import { expect, test } from 'vitest';
import { handleConfigure } from './handle-configure.ts';

const VALID = JSON.stringify({
  roots: [],
  hostedZones: [{ zone: 'example.org', id: 'Z1' }],
  access: { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
});
const REQUEST = {
  RequestType: 'Create',
  ResponseURL: 'https://cloudformation.example/answer',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'Written',
  ResourceProperties: { ServiceToken: 'arn', Configuration: VALID },
};

async function configured(change: object, write: (text: string) => Promise<void> = async () => {}) {
  const written: string[] = [];
  const answers: unknown[] = [];
  const handle = handleConfigure({
    write: async (text) => {
      await write(text);
      written.push(text);
    },
    answer: async (url, body) => void answers.push([url, JSON.parse(body)]),
    log: () => {},
  });
  await handle({ ...REQUEST, ...change });
  expect(answers).toHaveLength(1);
  const [[url, body]] = answers as [[string, Record<string, string>]];
  expect(url).toBe(REQUEST.ResponseURL);
  const { Status, Reason = '', ...ids } = body;
  expect(ids).toEqual({
    ...{ PhysicalResourceId: 'configuration', StackId: 'stack' },
    ...{ RequestId: 'request', LogicalResourceId: 'Written' },
  });
  return { written, outcome: `${Status} ${Reason}` };
}

test.each(['Create', 'Update'])('%s writes the configuration', async (RequestType) => {
  expect(await configured({ RequestType })).toEqual({ written: [VALID], outcome: 'SUCCESS ' });
});

test('Delete leaves it as it is', async () => {
  expect(await configured({ RequestType: 'Delete' })).toEqual({ written: [], outcome: 'SUCCESS ' });
});

test('an invalid configuration is not written, and ends the deployment with its problems', async () => {
  const Configuration = JSON.stringify({
    ...JSON.parse(VALID),
    hostedZones: [{ zone: 'example.org', id: 'not an id' }],
  });
  const { written, outcome } = await configured({ ResourceProperties: { Configuration } });
  expect(written).toEqual([]);
  expect(outcome).toContain('FAILED The configuration is invalid: hostedZones[0].id: write the id of a hosted zone');
});

test('a bucket that refuses the write ends the deployment with its answer', async () => {
  const refuses = async () => {
    throw new Error('Cannot write s3://dns/zone53.json: S3 answers 403');
  };
  expect((await configured({}, refuses)).outcome).toContain('FAILED Cannot write s3://dns/zone53.json');
});

test('another event is refused', async () => {
  const handle = handleConfigure({ write: async () => {}, answer: async () => {}, log: () => {} });
  await expect(handle({ RequestType: 'Create' })).rejects.toThrow('ResponseURL');
});
