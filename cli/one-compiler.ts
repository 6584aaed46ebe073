// Hot code is compiled once, by Maglev, and not again by TurboFan: what TurboFan gains is less than what it takes to
// compile, in a first load of 10,000 Records a tenth of its CPU, and at 50,000 they are even (docs/benchmarks.md).
// Flags of V8 that Node 24 takes at run time.
import { setFlagsFromString } from 'node:v8';

/** From now on. */
export function compileOnce(): void {
  setFlagsFromString('--no-turbofan');
}
