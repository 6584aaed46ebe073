// Switches TurboFan off, so that Maglev alone compiles hot code. TurboFan costs more CPU than its code saves: a tenth
// of a first load of 10,000 Records; at 50,000 both are equal (docs/benchmarks.md).
import { setFlagsFromString } from 'node:v8';

/** Sets the flag of V8, for code that is compiled from now on. */
export function compileOnce(): void {
  setFlagsFromString('--no-turbofan');
}
