/** Thrown by `exit`, and to end a shell with `set -e`. */
export class ExitShell extends Error {
  constructor(readonly code: number) {
    super("exit");
  }
}

/** Thrown by `return`, to leave a function or a script that `.` runs. */
export class ReturnFromScript extends Error {
  constructor(readonly code: number) {
    super("return");
  }
}

/** Thrown by `break` and `continue`, to leave a number of loops. */
export class LeaveLoop extends Error {
  constructor(
    readonly kind: "break" | "continue",
    readonly loops: number,
  ) {
    super(kind);
  }
}

/** Thrown when a signal has ended a command in the background. */
export class JobEnded extends Error {
  constructor(readonly code: number) {
    super("job ended");
  }
}

/** Thrown into the running command of an interactive shell at Ctrl-C. */
export class Interrupted extends Error {}

/** Ends the script: an assignment to a constant, or an unset parameter that must be set. */
export class FatalError extends Error {}

/** Thrown for a command that fails before it runs, because a redirection or an expansion failed. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly code = 2,
    /** What bash would understand, and this shell does not. */
    readonly construct?: string,
  ) {
    super(message);
  }
}
