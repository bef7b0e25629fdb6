import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ByteStream } from "../../../src/machinery/streaming/byte-stream.js";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";

const { goStreams } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  goStreams: () => { readonly program: string } | { readonly missing: string };
};
const found = goStreams();
if ("missing" in found) process.stdout.write(`client-go's streams are skipped: ${found.missing}\n`);
const program = "program" in found ? found.program : undefined;

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const CHECKS = ["a WebSocket", "SPDY"].flatMap((way) => [
  `20 MB go through a command unchanged over ${way}`,
  `a command's outputs and exit code arrive over ${way}`,
  `a terminal has its size over ${way}`,
  `a command that is not there is an error over ${way}`,
  `100 connections go through a forwarded port at once over ${way}`,
  `a port without a listener is an error over ${way}`,
]);

/** Sends back what comes. */
async function echo(connection: ByteStream): Promise<void> {
  for await (const chunk of connection) await connection.write(chunk);
  await connection.end();
}

describe.skipIf(program === undefined)("client-go's remotecommand and portforward", () => {
  let shared: StreamingCluster;
  let folder: string;
  let results: ReadonlyMap<string, Check>;

  beforeAll(async () => {
    shared = await streamingCluster([pod("web", [{ name: "main", image: "shell" }])], {
      shell: { ports: { 7: echo } },
    });
    folder = await mkdtemp(join(tmpdir(), "kubets-go-streams-"));
    await writeFile(join(folder, "kubeconfig"), shared.cluster.kubeconfig(), { mode: 0o600 });
    const env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig") };
    const { stdout } = await promisify(execFile)(program ?? "", [], { env, timeout: 90_000 });
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
