import type { Invocation } from "./command.js";

/** An error with its own exit code: printed as it is, or not at all when the message is empty. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  constructor(
    readonly exitCode: number,
    message = "",
  ) {
    super(message);
  }
}

/** Ends the command with code 1 and prints nothing more. */
export const silentExit = (code = 1): ExitError => new ExitError(code);

/**
 * The command line is wrong in a way its help explains. kubectl's UsageErrorf:
 * the message, then "See 'kubectl get -h' for help and examples".
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function usageError(invocation: Pick<Invocation, "commandPath">, message: string): UsageError {
  return new UsageError(`${message}\nSee '${invocation.commandPath} -h' for help and examples`);
}
