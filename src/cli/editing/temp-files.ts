import { dirname, join } from "node:path";
import { randomBelow } from "../../base/numbers/random-below.js";
import { errorCode, PathError } from "../../base/files/path-error.js";
import type { Host } from "../connect/host.js";

type Surroundings = Pick<Host, "env" | "files" | "platform" | "random">;

/** Returns the platform's folder for temporary files: Go's os.TempDir. */
export function tempFolder({ env, platform }: Pick<Host, "env" | "platform">): string {
  if (platform !== "win32") return env["TMPDIR"] || "/tmp";
  return env["TMP"] || env["TEMP"] || env["USERPROFILE"] || "C:\\Windows";
}

/**
 * Makes a new file PREFIX<digits>SUFFIX that only its owner can read, and returns its path. When the text cannot be written, the file is
 * removed.
 */
export function makeTempFile(prefix: string, suffix: string, text: string, host: Surroundings): string {
  const { files } = host;
  const path = makeNew(prefix, suffix, host, (path) => files.writeFileSync(path, "", { isNew: true, mode: 0o600 }));
  try {
    files.writeFileSync(path, text);
    return path;
  } catch (error) {
    removeTemp(path, host);
    throw new PathError("open", path, error);
  }
}

/** Makes a new folder PREFIX<digits> and returns its path. */
export function makeTempFolder(prefix: string, host: Surroundings): string {
  return makeNew(prefix, "", host, (path) => host.files.mkdirSync(path, { mode: 0o700 }));
}

/** Removes a file, or a folder with its contents. Ignores failures. */
export function removeTemp(path: string, { files }: Pick<Host, "files">): void {
  try {
    files.removeSync(path);
  } catch {
    // The platform removes what is left of temporary files.
  }
}

/** Of a new folder, Go looks for the place first where there is none. */
function failure(path: string, error: unknown): Error {
  const isFolder = typeof error === "object" && error !== null && "syscall" in error && error.syscall === "mkdir";
  if (!isFolder) return new PathError("open", path, error);
  return errorCode(error) === "ENOENT"
    ? new PathError("stat", dirname(path), error)
    : new PathError("mkdir", path, error);
}

const ATTEMPTS = 10_000;

function makeNew(prefix: string, suffix: string, host: Surroundings, make: (path: string) => void): string {
  for (let attempt = 1; ; attempt++) {
    const path = join(tempFolder(host), `${prefix}${randomBelow(host.random, 2 ** 32)}${suffix}`);
    try {
      make(path);
      return path;
    } catch (error) {
      if (errorCode(error) !== "EEXIST" || attempt >= ATTEMPTS) throw failure(path, error);
    }
  }
}
