import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliResult, runCli } from "../../helpers/run-cli.js";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";

let folder: string;
let streaming: StreamingCluster;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-cp-scripted-"));
  streaming = await streamingCluster([pod("web", [{ name: "c", image: "shell", command: ["sleep", "3600"] }])]);
  writeFileSync(join(folder, "kubeconfig"), streaming.cluster.kubeconfig());
  mkdirSync(join(folder, "many/sub"), { recursive: true });
  for (let index = 0; index < 300; index++)
    writeFileSync(join(folder, `many/sub/file ${index}`), `text ${index}\n`.repeat(index));
  mkdirSync(join(folder, "few/deep"), { recursive: true });
  writeFileSync(join(folder, "few/run"), "#!/bin/sh\n");
  chmodSync(join(folder, "few/run"), 0o755);
  writeFileSync(
    join(folder, "few/deep/binary"),
    Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256)),
  );
});

afterAll(async () => {
  await streaming[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

let webSockets = "true";

const cp = (...args: readonly string[]): Promise<CliResult> => {
  const env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets };
  return runCli(["cp", ...args], { cwd: folder, env });
};

const diff = (one: string, other: string): unknown =>
  execFileSync("diff", ["-r", join(folder, one), join(folder, other)]);

describe.each([
  { flags: [], source: "many" },
  { flags: ["--retries=2"], source: "many" },
  { flags: ["--no-tar"], source: "few" },
  { flags: ["--resume"], source: "few" },
])("cp $flags with a simulated container", ({ flags, source }) => {
  const up = flags.filter((flag) => !flag.startsWith("--retries"));

  it("copies a folder there and back", async () => {
    const name = `${source}${flags.join("")}`;
    expect(await cp(source, `web:/tmp/${name}`, ...up)).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stderr } = await cp(`web:/tmp/${name}`, name, ...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    diff(source, name);
  });

  it("names a missing file", async () => {
    const { code, stdout, stderr } = await cp("web:/nowhere", "x", ...flags);
    expect(stdout + stderr).toMatch(/nowhere: (Cannot stat: )?No such file or directory\n/);
    expect(stderr).toMatch(
      /(command terminated with exit code [12]|error: \/nowhere was not found in the container)\n$/,
    );
    expect(code).not.toBe(0);
  });
});

it("cp uses SPDY when WebSockets are disabled", async () => {
  webSockets = "false";
  expect(await cp("few", "web:/tmp/spdy")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await cp("web:/tmp/spdy", "spdy")).code).toBe(0);
  diff("few", "spdy");
});
