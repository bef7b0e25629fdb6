/** `exit`, and the end of a shell with `set -e`. */
export class ExitShell extends Error {
  constructor(readonly code: number) {
    super("exit");
  }
}

/** `return` out of a function or of a script that `.` runs. */
export class ReturnFromScript extends Error {
  constructor(readonly code: number) {
    super("return");
  }
}

/** `break` and `continue` out of so many loops. */
export class LeaveLoop extends Error {
  constructor(
    readonly kind: "break" | "continue",
    readonly loops: number,
  ) {
    super(kind);
  }
}

/** A signal has ended a command in the background. */
export class JobEnded extends Error {
  constructor(readonly code: number) {
    super("job ended");
  }
}

/** Ctrl-C at an interactive shell ends what it runs. */
export class Interrupted extends Error {}

/** Ends the script: an assignment to a constant, or an unset parameter that must be set. */
export class FatalError extends Error {}

/** A command that fails without having run: a redirection or an expansion that is refused. */
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
