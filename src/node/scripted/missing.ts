/**
 * A script needs a program or a construct that its container does not have. With {@link ProcessSetup.endsAtMissing} it ends the main process,
 * whose {@link ProcessExit.missing} it is; the message names the script and the line.
 */
export class MissingError extends Error {
  override readonly name = "MissingError";

  constructor(
    readonly kind: "program" | "construct",
    /** The program's name or path, or what the construct is called: "process substitution". */
    readonly what: string,
    readonly place: ScriptPlace,
  ) {
    const problem = kind === "program" ? "not found" : "not supported";
    super(`${place.script}: ${place.line}: ${what}: ${problem}`);
  }
}

/** A line of a script. `script` is its file, or the name by which the shell was called ("sh") for a script of its arguments or input. */
export interface ScriptPlace {
  readonly script: string;
  /** From 1 on; 0 for what is no line of a script, such as the command of xargs. */
  readonly line: number;
}
