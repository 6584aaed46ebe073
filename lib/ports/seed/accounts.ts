// AWS accounts that objects bring along: credentials in, the account's hosted zones out.
import type { HostedZones } from '../hosted-zones.ts';

/** Credentials, as a Secret has them. They are held in memory for a minute at most, and never shown. */
export type AccountCredentials =
  | {
      readonly kind: 'key';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly region: string;
    }
  | { readonly kind: 'webIdentity'; readonly token: string; readonly roleArn: string; readonly region: string };

/**
 * A failed call of an account. The message never has the credentials. `unanswered`: the result is not known, or the
 * call was never sent; `throttled`: it came too soon; `refused`: AWS refused it, with its code; `unsent`: its turn
 * within the budget would have come too late.
 */
export class AccountError extends Error {
  readonly kind: 'refused' | 'throttled' | 'unanswered' | 'unsent';
  readonly code: string;

  constructor(kind: AccountError['kind'], code: string, message: string) {
    super(message);
    this.name = 'AccountError';
    this.kind = kind;
    this.code = code;
  }
}

export type Account = {
  /** SHA-256 of its access key id, or of its role: whose budget its calls are. */
  readonly id: string;
  /** Reads throw `AccountError`. Messages about failed calls never have the credentials. */
  readonly hostedZones: HostedZones;
};

export type Accounts = {
  open(credentials: AccountCredentials): Account;
};
