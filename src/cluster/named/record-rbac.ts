import { access, constants, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoText, errorCode } from "../../base/files/path-error.js";
import { type RbacRecorder, rbacRecorder } from "../rbac/rbac-recorder.js";
import { namedClusterError } from "./cluster-home.js";
import type { CommandRecording } from "./run-command.js";

export interface RecordRbacOptions {
  /** An absolute path. */
  readonly file: string;
  /** As {@link rbacRecorder} takes it. */
  readonly user?: string;
}

/**
 * Records the rights that a user's requests ask for while a command runs, and writes the roles to the file when it has ended: the whole file, or nothing of
 * it. Rejects for a path that could not be written then.
 */
export async function recordRbac({
  file,
  ...whose
}: RecordRbacOptions): Promise<CommandRecording & Pick<RbacRecorder, "filters">> {
  await checkFile(file);
  const recorder = rbacRecorder(whose);
  return {
    filters: recorder.filters,
    begin: () => recorder.clear(),
    end: () => replaceFile(file, recorder.yaml()),
  };
}

/** A run can take long: a path that cannot be written is found before it. */
async function checkFile(file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK | constants.X_OK);
    const found = await stat(file).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
    });
    if (found !== undefined && !found.isFile()) throw new Error("not a regular file");
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.new`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw cannotWrite(file, error);
  }
}

function cannotWrite(file: string, error: unknown): Error {
  return namedClusterError(`cannot write the recorded roles to ${file}: ${errnoText(error)}`);
}
