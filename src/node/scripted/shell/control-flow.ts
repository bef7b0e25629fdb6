/** `exit`, and the end of a shell with `set -e`. */
export class ExitShell extends Error {
  constructor(readonly code: number) {
    super("exit");
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

/** Ctrl-C at an interactive shell ends what it runs. */
export class Interrupted extends Error {}

/** A command that fails without having run: a redirection or an expansion that is refused. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly code = 2,
  ) {
    super(message);
  }
}
