// The words for an error of the YAML library. If values are nested too deeply for the stack, the library passes on what
// V8 says of its own stack.
import type { YAMLError } from 'yaml';

export const TOO_DEEP = 'lists and mappings are nested too deeply: write fewer levels';

/** What is wrong, on one line. */
export function yamlMessage({ code, message }: Pick<YAMLError, 'code' | 'message'>): string {
  return code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : message.replaceAll(/\s+/g, ' ').trim();
}
