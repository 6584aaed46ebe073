// What a check of `zone53 doctor` is, and what it finds.

/** `remedy`: what to do, as a sentence; null where nothing is wrong. */
export type Finding = { readonly ok: boolean; readonly message: string; readonly remedy: string | null };

/** A check. It may throw: the error is what it found. */
export type Check = { readonly name: string; readonly run: () => Promise<Finding> };

export const fine = (message: string): Finding => ({ ok: true, message, remedy: null });
export const wrong = (message: string, remedy: string): Finding => ({ ok: false, message, remedy });

/** What to do about a call that AWS refuses. */
export const ALLOW = 'Allow the call to the profile or role in use, or use another (AWS_PROFILE); see docs/iam.md.';
