// What the caller of the command can mend: said in one line on standard error, without a stack, exit code 1.

export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
