// configure: writes the configuration of the stack to S3. CloudFormation invokes it. Needs the right to write that one
// object, and nothing else.
import { handleConfigure } from './handlers/handle-configure.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { log } from './runtime/wire.ts';
import { answerAt, writeConfiguration } from './runtime/wire-configure.ts';

const environment = parseEnvironment('configure', process.env);

export const handler = atTheEdge(handleConfigure({ write: writeConfiguration(environment), answer: answerAt, log }));
