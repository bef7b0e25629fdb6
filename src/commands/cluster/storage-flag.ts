import type { Invocation } from "../../cli/command.js";
import { ExitError, usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../cli/flags/flag-set.js";

export type StorageKind = "memory" | "disk";

export const storageFlag: FlagSpec = {
  name: "storage",
  type: "string",
  default: "",
  usage: "Where objects are kept: memory or disk. `run` keeps them in memory unless told otherwise, `start` on disk.",
};

/** Throws a usage error for anything but memory and disk. */
export function storageOf<T>(invocation: Invocation, otherwise: T): StorageKind | T {
  const value = invocation.flags.string("storage");
  if (value === "") return otherwise;
  if (value === "memory" || value === "disk") return value;
  throw usageError(invocation, `invalid value "${value}" for --storage: use memory or disk`);
}

/** Runs `body`; what the user can put right becomes one line, "error: ...", with the exit code the error asks for. */
export async function failPlainly<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "NamedClusterError") throw error;
    const { exitCode } = error as { exitCode?: number };
    throw exitCode === undefined ? new Error(error.message) : new ExitError(exitCode, `error: ${error.message}\n`);
  }
}
