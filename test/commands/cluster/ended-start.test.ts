import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programIsBuilt, programUnderTest } from "../../helpers/program-under-test.js";
import { SilentListener } from "../../helpers/silent-listener.js";

// A command that starts a server ends at its first signal while the server waits for etcd. Without that it would end after ten seconds, with
// what is wrong with etcd and exit code 1.

const [program = "", ...programWords] = programUnderTest;

// Windows has no SIGTERM for programs, and without a build there is no command to run.
describe.skipIf(!programIsBuilt || process.platform === "win32")("a signal ends a start that waits for etcd", () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "kubets-ended-start-"));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Runs a command until it has connected to `--etcd-servers`, where nothing answers, and sends it a signal. */
  async function endedBy(signal: NodeJS.Signals, args: (etcd: string) => readonly string[], refuses: boolean) {
    let connected = (): void => {};
    const connecting = new Promise<void>((done) => (connected = done));
    const silent = await SilentListener.open(() => connected());
    const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home };
    const child = spawn(program, [...programWords, ...args(silent.url)], {
      env,
      cwd: home,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
    const ended = new Promise<{ code: number | null; by: NodeJS.Signals | null }>((done) =>
      child.once("close", (code, by) => done({ code, by })),
    );
    try {
      await Promise.race([connecting, ended]);
      if (refuses) await silent[Symbol.asyncDispose]();
      child.kill(signal);
      return { ...(await ended), output };
    } finally {
      child.kill("SIGKILL");
      if (!refuses) await silent[Symbol.asyncDispose]();
    }
  }

  const etcd = (url: string) => ["--storage=etcd", `--etcd-servers=${url}`];
  const notStarted = (signal: string): string => `error: cluster "c" was not started: ${signal}\n`;

  test.each([
    ["cluster start, by a port that is silent", "SIGTERM", false, ["start", "c"], [], 143, notStarted("SIGTERM")],
    ["cluster start, by a port that refuses", "SIGINT", true, ["start", "c"], [], 130, notStarted("SIGINT")],
    ["cluster start --detach", "SIGTERM", false, ["start", "c", "--detach"], [], 143, notStarted("SIGTERM")],
    ["cluster run, by a port that is silent", "SIGTERM", false, ["run"], ["--", "true"], 143, ""],
    ["cluster run, by a port that refuses", "SIGINT", true, ["run"], ["--", "true"], 130, ""],
  ] as const)("%s", async (_, signal, refuses, before, after, code, output) => {
    const ended = await endedBy(signal, (url) => ["cluster", ...before, ...etcd(url), ...after], refuses);
    expect(ended).toEqual({ code, by: null, output });
    // Neither a cluster's folder nor that of a run is left.
    expect(readdirSync(home).filter((name) => name.startsWith("kubets-run-"))).toEqual([]);
    const clusters = join(home, ".kubets/clusters");
    expect(existsSync(clusters) ? readdirSync(clusters) : []).toEqual([]);
  });
});
