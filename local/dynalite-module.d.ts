// The part of dynalite that we use; the package brings no types.
declare module 'dynalite' {
  import type { Server } from 'node:http';

  export type DynaliteOptions = {
    readonly path?: string;
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  };

  export default function dynalite(options?: DynaliteOptions): Server;
}
