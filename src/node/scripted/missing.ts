import { absolute } from "./files/file-system.js";
import type { ProgramIo } from "./program.js";

/**
 * A script needs what is not there: a program, a construct of the shell, or an answer that a program would give for which another container
 * stands in. With {@link ProcessSetup.endsAtMissing} it ends the main process, whose {@link ProcessExit.missing} it is; the message names the
 * script and the line.
 */
export class MissingError extends Error {
  override readonly name = "MissingError";

  constructor(
    readonly kind: "program" | "construct" | "answer" | "expectation",
    /** The program's name or path, what the construct is called ("process substitution"), or what stands in for the program. */
    readonly what: string,
    readonly place: ScriptPlace,
  ) {
    super(`${place.script}: ${place.line}: ${what}${PROBLEMS[kind]}`);
  }
}

const PROBLEMS = {
  program: ": not found",
  construct: ": not supported",
  answer: ", and still does not give the answer that is waited for",
  expectation: ", and its answer is none that the script can go by",
};

/** A line of a script. `script` is its file, or the name by which the shell was called ("sh") for a script of its arguments or input. */
export interface ScriptPlace {
  readonly script: string;
  /** From 1 on; 0 for what is no line of a script, such as the command of xargs. */
  readonly line: number;
}

/**
 * Ends the main process where a file is not there that only the container's image could have, as at a missing program. True where it did: then
 * the program has ended. In `exec` and at a prompt the file is missing as any other.
 */
export function endsAtImageFile(io: ProgramIo, path: string): boolean {
  const full = absolute(io.cwd, path);
  if (io.missing === undefined || io.files.look(full) !== undefined || !io.container.isOfImage(full)) return false;
  io.missing(new MissingError("program", path, io.place ?? { script: io.name, line: 0 }));
  return true;
}
