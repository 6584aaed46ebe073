// The inside of an execution environment: imports one bundle and calls its handler for each event that comes over IPC, one at a
// time. It is what Lambda's runtime client does, as far as a handler can tell; run by lambda-process.ts.
import { pathToFileURL } from 'node:url';

type Invocation = { readonly id: number; readonly event: unknown; readonly timeoutMs: number };

const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  handler: (event: unknown, context: object) => Promise<unknown>;
};

process.on('message', async ({ id, event, timeoutMs }: Invocation) => {
  const deadline = Date.now() + timeoutMs;
  const context = {
    functionName: 'function',
    functionVersion: '$LATEST',
    memoryLimitInMB: '512',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:function',
    awsRequestId: String(id),
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  try {
    process.send?.({ id, result: (await handler(event, context)) ?? null });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
  }
});
process.send?.({ ready: true });
