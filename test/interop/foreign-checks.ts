import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../helpers/patience.js";

/** A program of another language that checks a client library against a server. */
export interface ForeignProgram {
  /** The program and its arguments; undefined where it cannot be built, which skips its tests. */
  readonly command: readonly string[] | undefined;
  /** Names of its checks, in the order it runs them. */
  readonly checks: readonly string[];
  /** Starts the server. */
  readonly start: () => Promise<ForeignSurroundings>;
}

export interface ForeignSurroundings extends AsyncDisposable {
  /** The text of the file that KUBECONFIG names. */
  readonly kubeconfig: string;
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One line of JSON on the program's stdout. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What the program saw; of a failed check, the client's own exception. */
  readonly detail: string;
}

/**
 * Runs the program once, in a folder of its own, and makes a test of every check. The program exits with 0 whether its checks passed or
 * not; another exit code fails all tests with its stderr. A check that the program runs and `checks` does not name is a failure, too.
 */
export function describeChecks(title: string, { command, checks, start }: ForeignProgram): void {
  describe.skipIf(command === undefined)(title, () => {
    let surroundings: ForeignSurroundings;
    let folder: string;
    let results: ReadonlyMap<string, Check>;

    beforeAll(async () => {
      surroundings = await start();
      folder = await mkdtemp(join(tmpdir(), "kubets-foreign-"));
      const kubeconfig = join(folder, "kubeconfig");
      await writeFile(kubeconfig, surroundings.kubeconfig, { mode: 0o600 });
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        TMPDIR: folder,
        KUBECONFIG: kubeconfig,
        ...surroundings.env,
      };
      results = new Map((await runChecks(command ?? [], env, folder)).map((check) => [check.name, check]));
    });
    afterAll(async () => {
      await surroundings?.[Symbol.asyncDispose]();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    });

    test.each(checks)("%s", (name) => {
      const { ok, detail } = results.get(name) ?? { ok: false, detail: "the program did not run this check" };
      expect(ok, detail).toBe(true);
    });

    test("these are all checks of the program", () => {
      expect([...results.keys()]).toEqual(checks);
    });
  });
}

function runChecks(command: readonly string[], env: Record<string, string>, cwd: string): Promise<Check[]> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    // A program that hangs ends well before the hook does, so that its stderr is shown.
    const limit = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(limit);
      if (code !== 0) return reject(new Error(`${program} ended with ${code ?? signal}:\n${stdout}${stderr}`));
      const lines = stdout.split("\n").filter((line) => line !== "");
      return resolve(lines.map((line) => JSON.parse(line) as Check));
    });
  });
}
