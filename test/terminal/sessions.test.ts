import { afterAll, beforeAll, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deferred } from "../../src/base/async/deferred.js";
import type { Program, ProgramIo } from "../../src/node/scripted/program.js";
import type { Filter } from "../../src/server/request/api-request.js";
import { testsExecutable } from "../helpers/program-under-test.js";
import { type ScriptedNode, scriptedNode } from "../helpers/scripted-node.js";
import { readyNodes } from "../helpers/quiet-cluster.js";
import { startTcpProxy } from "../helpers/tcp-proxy.js";
import { describeTerminal, type Terminal, type TerminalLab, terminalLab } from "./terminal.js";

/** As a full-screen program does. */
function makeRaw({ terminal }: ProgramIo): void {
  const raw = { echo: false, canonical: false, signals: false, returnsAreLineFeeds: false, writesReturns: false };
  Object.assign(terminal?.modes ?? {}, raw);
}

/** Draws a frame with line feeds that move down only, as full-screen programs do, and waits for "q". */
const frame: Program = async (io) => {
  const { stdin, stdout, terminal } = io;
  makeRaw(io);
  await stdout.write("\u001b[2J\u001b[1;10Hone\ntwo\nthree");
  for (;;) {
    const keys = await stdin.read();
    if (keys === undefined) return 2;
    if (!Buffer.from(keys).includes("q")) continue;
    await stdout.write("\r\n");
    return terminal === undefined ? 1 : 0;
  }
};

/** Prints the bytes of each key, and ends with code 5 at "q". */
const keys: Program = async (io) => {
  const { stdin, stdout } = io;
  makeRaw(io);
  await stdout.write("ready\r\n");
  for (;;) {
    const bytes = await stdin.read();
    if (bytes === undefined) return 0;
    await stdout.write(`${Buffer.from(bytes).toString("hex")}\r\n`);
    if (Buffer.from(bytes).includes("q")) return 5;
  }
};

/** Prints the size of its terminal at each change, until "q". */
const sizes: Program = async (io) => {
  const { stdin, stdout, terminal, onSignal } = io;
  makeRaw(io);
  const print = (): void => void stdout.write(`${terminal?.size.height}x${terminal?.size.width}\r\n`);
  onSignal("SIGWINCH", print);
  print();
  for (;;) {
    const bytes = await stdin.read();
    if (bytes === undefined || Buffer.from(bytes).includes("q")) return 0;
  }
};

/** Writes a letter of three bytes one byte at a time. */
const slowly: Program = async ({ stdout, timers }) => {
  for (const byte of Buffer.from("€uro\r\n")) {
    await stdout.write(Uint8Array.of(byte));
    await new Promise<void>((done) => timers.start(5, () => done()));
  }
  return 0;
};

const released = deferred<void>();

/** The server answers no deletion of the pod "held" before the end of the tests. */
const holdDeletion: Filter = (next) => async (request) => {
  const { method, path } = request.exchange;
  if (method === "DELETE" && path.endsWith("/pods/held")) await released.promise;
  return next(request);
};

/** Crashes at SIGUSR2. */
const CRASH = 'process.on("SIGUSR2", () => { throw new Error("a crash that was meant"); });\n';

describeTerminal("a session in a container on a terminal", () => {
  let lab: TerminalLab;
  let node: ScriptedNode;

  beforeAll(async () => {
    lab = await terminalLab({
      ...readyNodes,
      scheduler: {},
      filters: [{ name: "hold-deletion", filter: holdDeletion }],
    });
    lab.write({ "crash.cjs": CRASH });
    node = await scriptedNode(lab.cluster, {
      keyboard: { entrypoint: keys },
      raw: { programs: { frame, keys, sizes, slowly } },
    });
    await node.pod("web", { containers: [{ name: "app", image: "raw" }] });
    await node.pod("keyboard", { containers: [{ name: "app", image: "keyboard", stdin: true, tty: true }] });
  });
  afterAll(async () => {
    released.resolve();
    await node?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  /** The terminal's own settings: those of a shell, echo included. */
  const settings = async (terminal: Terminal): Promise<string> => (await terminal.run("stty -a")).screen;

  test("exec -it runs a shell that answers, and exits with its code", async () => {
    const terminal = await lab.open();
    const before = await settings(terminal);
    await terminal.start("kubectl exec -it web -- sh");
    await terminal.press("echo $((40+2)); exit 9", "Enter");
    const { screen, code } = await terminal.end();
    expect(screen).toContain("42");
    expect(screen).toContain("command terminated with exit code 9");
    expect(code).toBe(9);
    expect(await settings(terminal)).toBe(before);
  });

  test("exec -it passes keys to the program as bytes, Ctrl-C and Ctrl-Z included", async () => {
    const terminal = await lab.open();
    await terminal.start("kubectl exec -it web -- keys");
    await terminal.shows("ready");
    for (const [key, shown] of [
      ["C-c", "03"],
      ["C-z", "1a"],
      ["Enter", "0d"],
      ["é", "c3a9"],
    ] as const) {
      await terminal.press(key);
      await terminal.shows(shown);
    }
    await terminal.press("q");
    expect((await terminal.end()).code).toBe(5);
  });

  test("exec -it moves the cursor down at a line feed of a full-screen program, not to the left", async () => {
    const terminal = await lab.open();
    await terminal.start("kubectl exec -it web -- frame");
    const screen = await terminal.shows("three");
    expect(screen.split("\n").slice(0, 3)).toEqual(["         one", "            two", "               three"]);
    await terminal.press("q");
    expect((await terminal.end()).code).toBe(0);
  });

  test("exec -it tells the program the terminal's size and its changes", async () => {
    const terminal = await lab.open({ columns: 90, rows: 20 });
    await terminal.start("kubectl exec -it web -- sizes");
    await terminal.shows("20x90");
    await terminal.resize(70, 18);
    await terminal.shows("18x70");
    await terminal.press("q");
    await terminal.end();
  });

  test("exec -it shows a character completely whose bytes arrive one by one", async () => {
    const terminal = await lab.open();
    expect((await terminal.run("kubectl exec -it web -- slowly")).screen).toContain("€uro");
  });

  test("attach prints its notices, and after the detach keys how to attach again", async () => {
    const terminal = await lab.open({ columns: 200 });
    const before = await settings(terminal);
    await terminal.start("kubectl attach -it keyboard");
    await terminal.shows("try pressing enter");
    await terminal.press("x");
    await terminal.shows("78");
    await terminal.press("C-p", "C-q");
    const { screen, code } = await terminal.end();
    expect(screen).toContain("Session ended, resume using 'kubectl attach keyboard -c app -n default -i -t' command");
    expect(code).toBe(0);
    expect(await settings(terminal)).toBe(before);
  });

  /** Sends the command a signal while its terminal is raw: how it ended, and that the terminal has its settings again. */
  async function signalled(
    name: NodeJS.Signals,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly screen: string; readonly code: number }> {
    const terminal = await lab.open({ env });
    const before = await settings(terminal);
    await terminal.start("sh -c 'echo $$ > pid; exec kubectl exec -it web -- keys'");
    await terminal.shows("ready");
    process.kill(Number(readFileSync(join(lab.folder, "pid"), "utf8")), name);
    const outcome = await terminal.end();
    expect(await settings(terminal)).toBe(before);
    return outcome;
  }

  test.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const)(
    "%s in exec -it restores the terminal, and the command exits with 1",
    async (name) => expect((await signalled(name)).code).toBe(1),
  );

  test.skipIf(testsExecutable)("a crash of exec -it restores the terminal", async () => {
    const { screen, code } = await signalled("SIGUSR2", { NODE_OPTIONS: `--require ${join(lab.folder, "crash.cjs")}` });
    expect(screen).toMatch(/^Error: a crash that was meant$/m);
    expect(code).toBe(1);
  });

  test("a broken connection of exec -it restores the terminal", async () => {
    const proxy = await startTcpProxy(Number(new URL(lab.cluster.url).port));
    const kubeconfig = lab.cluster.kubeconfig().replaceAll(new URL(lab.cluster.url).host, proxy.address);
    lab.write({ "through-proxy": kubeconfig });
    const terminal = await lab.open({ columns: 150 });
    const before = await settings(terminal);
    await terminal.start("kubectl --kubeconfig=through-proxy exec -it web -- keys");
    await terminal.shows("ready");
    proxy.cut();
    const { screen, code } = await terminal.end();
    expect(screen).toMatch(/^error: error reading from error stream: next reader: .*\n$/m);
    expect(code).toBe(1);
    expect(await settings(terminal)).toBe(before);
    await proxy.close();
  });

  test("Ctrl-C ends an exec whose input is no terminal; a second one ends what it still does", async () => {
    const terminal = await lab.open({ columns: 150 });
    const line = 'kubectl run held --image=busybox --restart=Never --attach --rm -- sh -c "echo ready; sleep 1000"';
    await terminal.start(`sh -c 'trap : INT; ${line}; exit $?'`);
    await terminal.shows(/\nready/);
    await terminal.press("C-c");
    await terminal.shows("^C");
    await lab.kubectl(["wait", "pod", "held", "--for=condition=Ready"]);
    await terminal.press("C-c");
    const { screen, code } = await terminal.end();
    expect(screen).toMatch(/\^C\^C$/);
    expect(code).toBe(130);
  });

  test("killing the container ends exec -it and restores the terminal", async () => {
    await node.pod("short", { containers: [{ name: "app", image: "raw" }] });
    const terminal = await lab.open();
    const before = await settings(terminal);
    await terminal.start("kubectl exec -it short -- keys");
    await terminal.shows("ready");
    await node.killContainers("short");
    expect((await terminal.end()).code).not.toBe(0);
    expect(await settings(terminal)).toBe(before);
  });

  test("run -it --rm uses the pod's terminal, and the pod is deleted afterwards", async () => {
    const terminal = await lab.open({ columns: 200 });
    await terminal.start("kubectl run shell --image=keyboard --restart=Never -it --rm");
    await terminal.shows("try pressing enter");
    await terminal.press("q");
    const { screen, code } = await terminal.end();
    expect(screen).toContain('pod "shell" deleted from default namespace');
    expect(code).toBe(5);
    expect(await lab.kubectl(["get", "pods", "-o", "name"])).not.toContain("shell");
  });

  test("debug -it attaches to the ephemeral container that it adds", async () => {
    const terminal = await lab.open({ columns: 200 });
    await terminal.start("kubectl debug web -it --image=keyboard -c dbg");
    await terminal.shows("try pressing enter");
    await terminal.press("z");
    await terminal.shows("7a");
    await terminal.press("q");
    const { screen } = await terminal.end();
    expect(screen).toContain("the ephemeral container will not be restarted");
  });
});
