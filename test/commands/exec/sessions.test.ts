import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { Program } from "../../../src/node/scripted/program.js";
import { eventually } from "../../helpers/eventually.js";
import { type CliResult, type CliSurroundings, runCli, startCli } from "../../helpers/run-cli.js";
import { type ScriptedNode, scriptedNode } from "../../helpers/scripted-node.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NOTICES =
  "All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.\nIf you don't see a command prompt, try pressing enter.\n";

/** Answers each line, and ends with code 3 at "quit". */
const echoing: Program = async ({ stdin, stdout }) => {
  await stdout.write("hello\n");
  for (;;) {
    const bytes = await stdin.read();
    if (bytes === undefined) return 0;
    const line = Buffer.from(bytes).toString();
    await stdout.write(`got ${line}`);
    if (line.includes("quit")) return 3;
  }
};

/** Ends before anybody can attach to it. */
const failing: Program = async ({ stdout }) => {
  await stdout.write("out\n");
  return 4;
};

let cluster: Cluster;
let node: ScriptedNode;
let folder: string;

beforeAll(async () => {
  cluster = await startCluster({ port: 0 });
  node = await scriptedNode(cluster, {
    echoing: { entrypoint: echoing },
    failing: { entrypoint: failing },
  });
  folder = mkdtempSync(join(tmpdir(), "kubets-exec-"));
  writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
  await node.pod("web");
  await node.pod("two", { containers: [{ name: "a" }, { name: "b" }] });
  await node.pod("echo", { containers: [{ name: "app", image: "echoing", stdin: true }] });
  await node.pod("done", { containers: [{ name: "app", command: ["true"] }], restartPolicy: "Never" });
});

afterAll(async () => {
  await node?.[Symbol.asyncDispose]();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
});

const surroundings = (more: CliSurroundings = {}): CliSurroundings => ({
  cwd: folder,
  ...more,
  env: { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), ...more.env },
});
const kubectl = (argv: readonly string[], more?: CliSurroundings): Promise<CliResult> =>
  runCli(argv, surroundings(more));

describe("kubectl exec", () => {
  test.each([
    ["stdout", ["web", "--", "echo", "hi"], "hi\n", "", 0],
    [
      "stderr and the exit code",
      ["web", "--", "sh", "-c", "echo a; echo b >&2; exit 7"],
      "a\n",
      "b\ncommand terminated with exit code 7\n",
      7,
    ],
    [
      "the first of several containers, with a word",
      ["two", "--", "echo", "hi"],
      "hi\n",
      'Defaulted container "a" out of: a, b\n',
      0,
    ],
    ["no word with -q", ["two", "-q", "--", "echo", "hi"], "hi\n", "", 0],
    ["a named container", ["two", "-c", "b", "--", "echo", "hi"], "hi\n", "", 0],
    ["words with blanks and signs", ["web", "--", "echo", "a b", "&c=d+ü"], "a b &c=d+ü\n", "", 0],
  ] as const)("prints, or sends to the container: %s", async (_what, argv, stdout, stderr, code) => {
    expect(await kubectl(["exec", ...argv])).toEqual({ code, stdout, stderr });
  });

  test.each(["true", "false"])("works with WebSockets and without: %s", async (webSockets) => {
    const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets };
    const { stdout, code } = await kubectl(["exec", "web", "--", "sh", "-c", "echo a; exit 5"], { env });
    expect({ stdout, code }).toEqual({ stdout: "a\n", code: 5 });
  });

  test("with -i passes all bytes of stdin to the program, and its end", async () => {
    const stdin = "0123456789".repeat(50_000);
    const { stdout } = await kubectl(["exec", "-i", "web", "--", "wc", "-c"], { stdin });
    expect(stdout.trim()).toBe("500000");
  });

  test("without -i does not read stdin", async () => {
    expect((await kubectl(["exec", "web", "--", "cat"], { stdin: "unread" })).stdout).toBe("");
  });

  test("with -t but no terminal prints a warning and goes on without one", async () => {
    const { stdout, stderr } = await kubectl(["exec", "-it", "web", "--", "cat"], { stdin: "x" });
    expect({ stdout, stderr }).toEqual({
      stdout: "x",
      stderr: "Unable to use a TTY - input is not a terminal or the right kind of file\n",
    });
  });

  test("prints the server's error for a program that does not exist", async () => {
    const { code, stderr } = await kubectl(["exec", "web", "--", "nothere"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: Internal error occurred: .*"nothere": executable file not found in \$PATH/);
  });

  test("is refused for a pod that has ended", async () => {
    expect(await kubectl(["exec", "done", "--", "ls"])).toMatchObject({
      code: 1,
      stderr: "error: cannot exec into a container in a completed pod; current phase is Succeeded\n",
    });
  });

  test("ends at once at a signal, without output", async () => {
    const ending = new AbortController();
    const running = kubectl(["exec", "web", "--", "sleep", "1000"], { signal: ending.signal });
    setTimeout(() => ending.abort(new Error("SIGINT")), 300);
    expect(await running).toMatchObject({ stdout: "", stderr: "" });
  });
});

describe("kubectl attach", () => {
  test("prints its notices, then what the program writes from now on", async () => {
    const { stdout, stderr, code } = await kubectl(["attach", "-i", "echo"], { stdin: "quit\n" });
    expect({ stdout, stderr, code }).toEqual({ stdout: "got quit\n", stderr: NOTICES, code: 0 });
  });

  test("names the existing containers when the pod lacks the requested one", async () => {
    expect((await kubectl(["attach", "two", "-c", "c"])).stderr).toBe(
      "error: cannot attach to the container: container c is not valid for pod two out of: a, b\n",
    );
  });
});

describe("kubectl run -i", () => {
  test("prints the output from before it attached, ends with the pod's exit code, and with --rm deletes the pod", async () => {
    const line = ["run", "r1", "--image=echoing", "--restart=Never", "-i", "--rm"];
    const { stdout, stderr, code } = await kubectl(line, { stdin: "quit\n" });
    expect(stdout).toBe('hello\ngot quit\npod "r1" deleted from default namespace\n');
    expect(stderr).toBe(`${NOTICES}pod default/r1 terminated (Error)\n`);
    expect(code).toBe(3);
    expect((await kubectl(["get", "pod", "r1"])).code).toBe(1);
  });

  test("with -q leaves out the notices and the deletion", async () => {
    const line = ["run", "r2", "--image=echoing", "--restart=Never", "-i", "--rm", "-q"];
    const { stdout, stderr } = await kubectl(line, { stdin: "x\n" });
    expect({ stdout, stderr }).toEqual({ stdout: "hello\ngot x\n", stderr: "" });
  });

  test("deletes the pod also after a signal", async () => {
    const line = ["run", "r3", "--image=busybox", "--restart=Never", "--attach", "--rm"];
    const program = ["sh", "-c", "while true; do echo up; sleep 0.1; done"];
    const running = startCli([...line, "--", ...program], surroundings());
    await eventually(() => expect(running.stdout()).toContain("up\n"));
    expect((await running.interrupt()).stdout).toMatch(/^(up\n)+pod "r3" deleted from default namespace\n$/);
  });

  test("ends when the pod is not ready in time", async () => {
    const line = ["run", "r4", "--image=busybox", "--attach", "--pod-running-timeout=300ms", "--overrides"];
    const elsewhere = '{"spec":{"nodeName":"elsewhere"}}';
    expect(await kubectl([...line, elsewhere])).toMatchObject({
      code: 1,
      stderr: "error: timed out waiting for the condition\n",
    });
  });
});

describe("kubectl debug -i", () => {
  test("waits for its container and attaches to it", async () => {
    const { stdout, code } = await kubectl(["debug", "web", "-i", "--image=echoing", "-c", "dbg"], { stdin: "quit\n" });
    expect(stdout).toContain("got quit\n");
    expect(code).toBe(0);
  });

  test("prints the container's log when the container has ended", async () => {
    const { stdout } = await kubectl(["debug", "web", "--attach", "--image=failing", "-c", "dbg2"]);
    expect(stdout).toBe("out\n");
  });

  test("with -v first shows a person what it is going to write", async () => {
    const change = "  spec:\n    ephemeralContainers:\n";
    const line = ["debug", "web", "--image=busybox", "-c", "shown", "--profile=netadmin", "-v=1"];
    const { stderr } = await kubectl(line, { terminal: true, env: { NO_COLOR: "1" } });
    expect(stderr).toContain(`Changes of pod/web:\n${change}`);
    expect(stderr).toContain("name: shown");
    expect(stderr).toContain("NET_ADMIN");
    expect(stderr).not.toContain("$setElementOrder");
  });

  test("with -v shows a person how a copy differs from the pod", async () => {
    const line = ["debug", "web", "--copy-to=copied", "--set-image=*=debian", "-v=1"];
    const { stderr } = await kubectl(line, { terminal: true, env: { NO_COLOR: "1" } });
    expect(stderr).toContain("Changes of pod/copied, beside pod/web:\n");
    expect(stderr).toContain("image: debian");
  });
});
