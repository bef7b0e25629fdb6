import { absolute } from "./files/file-system.js";
import type { ProgramIo } from "./program.js";

/**
 * Thrown when a script needs something that does not exist: a program, a construct of the shell, or the answer of a program for
 * which a stand-in runs in another container. With {@link ProcessSetup.endsAtMissing} it ends the main process, as its {@link
 * ProcessExit.missing}; the message names the script and the line.
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

/** The place of a script's line. `script` is its file, or the name by which the shell was called ("sh") for a script in its arguments or input. */
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
