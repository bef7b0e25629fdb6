import { ExecError, type ProgramIo, type SpawnOptions } from "../../program.js";

/** The exit code of a program that another one started, or the reason why it could not start. */
export type CommandEnd = { readonly code: number } | { readonly code: 126 | 127; readonly reason: string };

/** Runs a program to its end. */
export async function runCommand(
  io: ProgramIo,
  argv: readonly string[],
  options: SpawnOptions = {},
): Promise<CommandEnd> {
  try {
    return { code: await io.spawn(argv, options).exited };
  } catch (error) {
    if (!(error instanceof ExecError)) throw error;
    if (error.kind === "not-found") return { code: 127, reason: "No such file or directory" };
    return { code: 126, reason: error.kind === "too-long" ? "Argument list too long" : "Permission denied" };
  }
}
