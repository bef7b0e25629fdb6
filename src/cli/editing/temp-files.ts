import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomBelow } from "../../base/numbers/random-below.js";
import { errorCode, PathError } from "../../base/files/path-error.js";
import type { Host } from "../connect/host.js";

type Surroundings = Pick<Host, "env" | "platform" | "random">;

/** Where the platform keeps what is not to stay: Go's os.TempDir. */
export function tempFolder({ env, platform }: Pick<Host, "env" | "platform">): string {
  if (platform !== "win32") return env["TMPDIR"] || "/tmp";
  return env["TMP"] || env["TEMP"] || env["USERPROFILE"] || "C:\\Windows";
}

/** A new file PREFIX<digits>SUFFIX that only its owner reads; its path. Where the text cannot be written, there is no file. */
export async function makeTempFile(prefix: string, suffix: string, text: string, host: Surroundings): Promise<string> {
  const path = await makeNew(prefix, suffix, host, async (path) => (await open(path, "wx", 0o600)).close());
  try {
    await writeFile(path, text);
    return path;
  } catch (error) {
    await removeTemp(path);
    throw new PathError("open", path, error);
  }
}

/** A new folder PREFIX<digits>; its path. */
export function makeTempFolder(prefix: string, host: Surroundings): Promise<string> {
  return makeNew(prefix, "", host, (path) => mkdir(path, { mode: 0o700 }));
}

/** A file or a folder with all that is in it; what is gone already, or stays, does not matter. */
export async function removeTemp(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
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

async function makeNew(
  prefix: string,
  suffix: string,
  host: Surroundings,
  make: (path: string) => Promise<unknown>,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const path = join(tempFolder(host), `${prefix}${randomBelow(host.random, 2 ** 32)}${suffix}`);
    try {
      await make(path);
      return path;
    } catch (error) {
      if (errorCode(error) !== "EEXIST" || attempt >= ATTEMPTS) throw failure(path, error);
    }
  }
}
