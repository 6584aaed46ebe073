// A replacement for Lambda's runtime client, for machines that cannot build the real one (test/engines/lambda-ric). It
// imports one bundle and handles the invocations of the Runtime API one after another.
import { pathToFileURL } from 'node:url';

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  handler: (event: unknown, context: object) => Promise<unknown>;
};

for (;;) {
  const next = await fetch(`${api}/invocation/next`);
  const header = (name: string) => next.headers.get(`lambda-runtime-${name}`) ?? '';
  const deadlineMs = Number(header('deadline-ms'));
  const context = {
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    invokedFunctionArn: header('invoked-function-arn'),
    awsRequestId: header('aws-request-id'),
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  };
  const tell = (what: string, body: unknown) =>
    fetch(`${api}/invocation/${context.awsRequestId}/${what}`, { method: 'POST', body: JSON.stringify(body ?? null) });
  try {
    await tell('response', await handler(await next.json(), context));
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    await tell('error', { errorType: name, errorMessage: message, stackTrace: [] });
  }
}
