// What the operator lets the guard let through.
/** Deletes within an hour that the guard lets through: so many record sets, and such a share of those published. */
export type GuardLimits = { readonly deletesMax: number; readonly deletesShareMax: number };
