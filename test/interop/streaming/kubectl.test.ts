import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oldKubectl, realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";

const SPDY = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false", KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" };
/** kubectl's variables choose the protocol; an older one speaks SPDY. */
const PROGRAMS = [
  ["1.37.1 over WebSockets", realTool("kubectl"), {}],
  ["1.37.1 over SPDY", realTool("kubectl"), SPDY],
  ["1.28.3", oldKubectl(), {}],
] as const;
for (const [name, { missing }] of PROGRAMS) {
  if (missing !== undefined) process.stdout.write(`streams of kubectl ${name} are skipped: ${missing}\n`);
}

const LARGE = 20_000_000;

describe.each(PROGRAMS)("streaming commands of kubectl %s", (_, { path, missing }, env) => {
  if (missing !== undefined) return test.skip("are skipped: the tool is missing", () => {});
  let shared: StreamingCluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    shared = await streamingCluster(
      [
        pod("web", [{ name: "main", image: "shell" }]),
        pod("pair", [
          { name: "first", image: "shell" },
          { name: "second", image: "shell" },
        ]),
        pod("bare", [{ name: "main", image: "bare" }]),
        pod("chat", [{ name: "main", image: "shell", stdin: true, stdinOnce: true, command: ["cat"] }]),
      ],
      { bare: { shell: false } },
    );
    kubectl = await realKubectl(shared.cluster, env, path);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await shared?.[Symbol.asyncDispose]();
  });

  test("exec: prints output and errors and exits with the program's code", async () => {
    expect(await kubectl.run(["exec", "web", "--", "sh", "-c", "echo out; echo err >&2; exit 3"])).toEqual({
      code: 3,
      stdout: "out\n",
      stderr: "err\ncommand terminated with exit code 3\n",
    });
  });

  test("exec -i: sends the input and its end", async () => {
    const text = "line\n".repeat(LARGE / 5);
    const { code, stdout } = await kubectl.run(["exec", "-i", "web", "--", "cat"], text);
    expect([code, stdout === text]).toEqual([0, true]);
  });

  test("exec: chooses a container, and prints which", async () => {
    expect(await kubectl.run("exec pair -- echo hi")).toEqual({
      code: 0,
      stdout: "hi\n",
      stderr: 'Defaulted container "first" out of: first, second\n',
    });
    expect(await kubectl.run("exec pair -c second -- hostname")).toMatchObject({ code: 0, stdout: "pair\n" });
  });

  test("exec: reports a program that does not exist", async () => {
    const { code, stderr } = await kubectl.run("exec bare -- sh");
    expect([code, stderr]).toEqual([1, expect.stringContaining('exec: "sh": executable file not found in $PATH')]);
  });

  test("attach: joins the running program", async () => {
    const { code, stdout } = await kubectl.run(["attach", "-i", "chat"], "hello\n");
    expect([code, stdout]).toEqual([0, expect.stringContaining("hello\n")]);
  });

  test("cp: copies a folder there and back", async () => {
    const { folder } = kubectl;
    await mkdir(join(folder, "there", "below"), { recursive: true });
    for (let index = 0; index < 50; index++) {
      await writeFile(
        join(folder, "there", index % 2 === 0 ? "." : "below", `f${index}`),
        `content ${index}`.repeat(index * 40),
      );
    }
    await writeFile(join(folder, "there", "binary"), createHash("sha256").update("x").digest());
    await kubectl.ok("cp there web:/tmp/there");
    await kubectl.ok("cp web:/tmp/there back");
    const names = (await readdir(join(folder, "there"), { recursive: true })).toSorted();
    expect((await readdir(join(folder, "back"), { recursive: true })).toSorted()).toEqual(names);
    for (const name of ["f0", "binary", "below/f49"]) {
      expect(await readFile(join(folder, "back", name))).toEqual(await readFile(join(folder, "there", name)));
    }
  });
});
