import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";

const { foreignClient } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  foreignClient: (language: "python") => { readonly command?: readonly string[]; readonly missing?: string };
};
const { command, missing } = foreignClient("python");
if (missing !== undefined) process.stdout.write(`Python's streams are skipped: ${missing}\n`);

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const CHECKS = [
  "a command's output is its answer",
  "both outputs and the exit code of a command that fails",
  "what a command reads is what was written to it",
  "a terminal is one output, with line ends of its own",
  "bytes that are no text arrive unchanged",
  "a socket to a port of the pod carries bytes both ways",
];

describe.skipIf(command === undefined)("streams of Python's kubernetes 36.0.3", () => {
  let shared: StreamingCluster;
  let folder: string;
  let results: ReadonlyMap<string, Check>;

  beforeAll(async () => {
    shared = await streamingCluster([pod("web", [{ name: "main", image: "shell" }])], {
      shell: {
        ports: {
          7: async (connection) => {
            for await (const chunk of connection) await connection.write(chunk);
            await connection.end();
          },
        },
      },
    });
    folder = await mkdtemp(join(tmpdir(), "kubets-python-streams-"));
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, shared.cluster.kubeconfig(), { mode: 0o600 });
    const [python = "", main = ""] = command ?? [];
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: folder, KUBECONFIG: kubeconfig };
    const script = join(dirname(main), "streams.py");
    const { stdout } = await promisify(execFile)(python, [script], { env, cwd: folder, timeout: 90_000 });
    const lines = stdout.split("\n").filter((line) => line !== "");
    results = new Map(lines.map((line) => JSON.parse(line) as Check).map((check) => [check.name, check]));
  }, 120_000);
  afterAll(async () => {
    await shared?.[Symbol.asyncDispose]();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test.each(CHECKS)("%s", (name) => {
    const { ok, detail } = results.get(name) ?? { ok: false, detail: "the program did not run this check" };
    expect(ok, detail).toBe(true);
  });

  test("these are all checks of the program", () => {
    expect([...results.keys()]).toEqual(CHECKS);
  });
});
