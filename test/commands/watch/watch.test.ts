import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { Program } from "../../../src/node/scripted/program.js";
import { type DrivenCommand, type DrivenTerminalOptions, startOnTerminal } from "../../helpers/driven-terminal.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { type CliResult, runCli, startCli } from "../../helpers/run-cli.js";
import { type ScriptedNode, scriptedNode } from "../../helpers/scripted-node.js";

/** What each container writes, by the name of its pod. */
const speak = new Map<string, (text: string) => Promise<void>>();

const speaking: Program = async ({ stdout, signal, env }) => {
  speak.set(env["HOSTNAME"] ?? "", async (text) => {
    await stdout.write(text);
  });
  await stdout.write("hello\n");
  await new Promise<void>((end) => signal.addEventListener("abort", () => end()));
  return 0;
};

let cluster: Cluster;
let node: ScriptedNode;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  cluster = await startCluster({ port: 0 });
  node = await scriptedNode(cluster, { speaking: { entrypoint: speaking } });
  folder = mkdtempSync(join(tmpdir(), "kubets-watch-"));
  writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
  env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig") };
  await node.pod("web", { containers: [{ name: "app", image: "speaking" }] });
});
afterAll(async () => {
  await node?.[Symbol.asyncDispose]();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (line: string, options: DrivenTerminalOptions = {}): DrivenCommand =>
  startOnTerminal(["watch", ...line.split(" ")], {
    cwd: folder,
    columns: 100,
    ...options,
    env: { ...env, ...options.env },
  });

async function kubectl(line: string, stdin?: string): Promise<CliResult> {
  const result = await runCli(line.split(" "), { env, cwd: folder, ...(stdin !== undefined && { stdin }) });
  expect(result.stderr).toBe("");
  return result;
}

const configMap = (name: string, ...owners: readonly object[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ownerReferences: owners } });

async function ownerOf(name: string): Promise<object> {
  const { stdout } = await kubectl(`get configmap ${name} -o jsonpath={.metadata.uid}`);
  return { apiVersion: "v1", kind: "ConfigMap", name, uid: stdout };
}

const givenBack = ({ terminal }: DrivenCommand): void => {
  expect(terminal.raw).toEqual([true, false]);
  expect([terminal.screen.isAlternate, terminal.screen.showsCursor]).toEqual([false, true]);
};

describe("kubets watch on a terminal", () => {
  test("shows tree, events and logs on one screen, and q restores the former screen", async () => {
    const command = open("pod/web");
    const screen = await command.terminal.shows(/LOGS\nweb app: hello\n/);
    expect(screen).toMatch(/^pod\/web in namespace default\nNAME +READY +STATUS +AGE\npod\/web +1\/1 +Running/);
    await command.terminal.shows(/LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n[^]* Normal +Scheduled +pod\/web /);
    await speak.get("web")?.("more\n");
    await command.terminal.shows("web app: more\n");
    command.terminal.press("q");
    expect(await command.ended).toBe(0);
    expect(command.terminal.screen.text).toBe("|");
    givenBack(command);
  });

  test("escapes what containers write, and cuts lines to the terminal, also after it becomes smaller", async () => {
    const command = open("pod web");
    await command.terminal.shows("web app: hello");
    await speak.get("web")?.(`\u001b]0;title\u0007\u001b[2Jred\r ${"long ".repeat(50)}\n`);
    await command.terminal.shows(/web app: \^\[\]0;title\^G\^\[\[2Jred\\r long .*…$/m);
    command.terminal.resize(20, 8);
    await command.terminal.shows(/^pod\/web in namespa…\n/);
    expect(command.terminal.screen.text.split("\n").length).toBeLessThanOrEqual(8);
    expect(command.terminal.written).not.toContain("\u001b]0;");
    command.terminal.press("q");
    expect(await command.ended).toBe(0);
  });

  test("updates the tree when objects that belong to the watched one come, change and go", async () => {
    await kubectl("create -f -", configMap("root"));
    const command = open("configmap/root");
    await command.terminal.shows("configmap/root");
    await kubectl("create -f -", configMap("leaf", await ownerOf("root")));
    await command.terminal.shows("└─ configmap/leaf");
    await kubectl("delete configmap/leaf");
    await command.terminal.shows(/configmap\/root +- +- +\w+\nq leaves/);
    await kubectl("delete configmap/root");
    await command.terminal.shows("configmap/root in namespace default\nis not there");
    command.terminal.press("q");
    expect(await command.ended).toBe(0);
  });

  test("exits with 130 on Ctrl-C, and with 1 on q while it waits for a condition", async () => {
    const first = open("pod/web");
    await first.terminal.shows("web app: hello");
    first.terminal.press("\u0003");
    expect(await first.ended).toBe(130);
    givenBack(first);
    const second = open("pod/web --for=condition=Never");
    await second.terminal.shows("no condition Never yet, waiting for true");
    second.terminal.press("q");
    expect(await second.ended).toBe(1);
    expect(second.terminal.stderr).toBe("");
    givenBack(second);
  });

  test("restores the terminal after a signal and at the end of the input", async () => {
    const first = open("pod/web");
    await first.terminal.shows("q leaves");
    first.interrupt();
    expect(first.terminal.raw).toEqual([true, false]);
    expect(await first.ended).toBe(130);
    givenBack(first);
    const second = open("pod/web");
    await second.terminal.shows("q leaves");
    second.terminal.endInput();
    expect(await second.ended).toBe(0);
    givenBack(second);
  });

  test("draws only ASCII without UTF-8", async () => {
    await kubectl("create -f -", configMap("ascii"));
    await kubectl("create -f -", configMap("below", await ownerOf("ascii")));
    const command = open("configmap/ascii", { env: { LANG: "C" } });
    await command.terminal.shows("`- configmap/below");
    command.terminal.press("q");
    await command.ended;
    expect(command.terminal.written).toMatch(/^[\0-\x7f]*$/);
  });
});

describe("kubets watch --for", () => {
  test("ends when the condition holds, and prints that below the restored screen", async () => {
    const command = open("pod/web --for=jsonpath={.metadata.labels.done}=yes --timeout=10m");
    await command.terminal.shows("is nothing, waiting for {.metadata.labels.done} to be yes");
    await kubectl("label pod web done=yes");
    expect(await command.ended).toBe(0);
    expect(command.terminal.screen.text).toBe("pod/web condition met\n|");
    givenBack(command);
  });

  test("ends with exit code 1 when the condition does not hold in time", async () => {
    const command = open("pod/web --for=condition=Never --timeout=1ms");
    expect(await command.ended).toBe(1);
    expect(command.terminal.stderr).toBe("error: timed out waiting for the condition on pods/web\n");
    givenBack(command);
  });

  test("create waits until an object exists, and delete until it is gone", async () => {
    const created = open("configmap/later --for=create");
    await created.terminal.shows("is not there");
    await kubectl("create -f -", configMap("later"));
    expect(await created.ended).toBe(0);
    const deleted = open("configmap/later --for=delete");
    await deleted.terminal.shows("is there, waiting until it is gone");
    await kubectl("delete configmap/later");
    expect(await deleted.ended).toBe(0);
    expect(deleted.terminal.screen.text).toBe("configmap/later condition met\n|");
  });

  test("ends with an error when the condition cannot be evaluated", async () => {
    const command = open("pod/web --for=jsonpath={.spec}=1");
    expect(await command.ended).toBe(1);
    expect(command.terminal.stderr).toContain("jsonpath leads to a nested object");
    givenBack(command);
  });
});

test("kubets watch in a pipe prints each change as a line, until the condition holds", async () => {
  await kubectl("create -f -", configMap("piped"));
  const running = startCli(["watch", "configmap/piped"], { env, cwd: folder, program: "kubets" });
  await eventually(() => expect(running.stdout()).toBe("object configmap/piped: -\n"));
  await kubectl("create -f -", configMap("of-it", await ownerOf("piped")));
  await eventually(() => expect(running.stdout()).toContain("object configmap/of-it: -\n"));
  await kubectl("delete configmap/of-it");
  await eventually(() => expect(running.stdout()).toContain("object configmap/of-it: gone\n"));
  expect((await running.interrupt()).code).toBe(130);
  const met = await runCli(["watch", "pod/web", "--for=condition=Ready"], { env, cwd: folder });
  expect([met.code, met.stderr]).toEqual([0, ""]);
  expect(met.stdout).toMatch(/^object pod\/web: 1\/1 Running\n[^]*pod\/web condition met\n$/);
  expect(met.stdout).not.toContain("\u001b");
});

test.each([
  ["watch pod/nope", 'Error from server (NotFound): pods "nope" not found\n'],
  ["watch nopes/web", 'error: the server doesn\'t have a resource type "nopes"\n'],
  [
    "watch web",
    "error: expected one object, as TYPE/NAME or TYPE NAME\nSee 'kubectl watch -h' for help and examples\n",
  ],
  ["watch pod/web --for=x", 'error: unrecognized condition: "x"\n'],
  [
    "watch pod/web --timeout=1s",
    "error: --timeout is the time that --for may take: say with --for what to wait for\nSee 'kubectl watch -h' for help and examples\n",
  ],
])("%s fails before anything is drawn", async (line, stderr) => {
  expect(await runCli(line.split(" "), { env, cwd: folder })).toEqual({ code: 1, stdout: "", stderr });
});

test("kubets watch shows that the server is gone, and asks again", async () => {
  const own = await startCluster({ port: 0, ...quietCluster });
  const kubeconfig = join(folder, "own");
  writeFileSync(kubeconfig, own.kubeconfig());
  const command = open("namespace/default", { env: { KUBECONFIG: kubeconfig } });
  await command.terminal.shows("namespace/default");
  await own.close();
  await command.terminal.shows(
    /^namespace\/default\nerror: the server is asked again: Get .*…\nNAME .*\nnamespace\/default /,
  );
  command.terminal.press("q");
  expect(await command.ended).toBe(0);
  expect(command.terminal.stderr).toBe("");
  givenBack(command);
});
