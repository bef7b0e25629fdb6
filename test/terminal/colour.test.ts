import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startFakeKubelet, type FakeKubelet } from "../helpers/fake-kubelet.js";
import { givePod, running, waiting } from "./objects.js";
import { describeTerminal, type TerminalLab, terminalLab } from "./terminal.js";

const ESCAPE = "\u001b";
const CODE = new RegExp(`${ESCAPE}\\[\\d+m`, "g");

/** A value between the code of a colour and the next code. */
const inColour = (code: number, text: string): RegExp => new RegExp(`\u001b\\[${code}m${text} *(\u001b|\n|$)`, "m");
const [BOLD, RED, GREEN, YELLOW, CYAN, GREY] = [1, 31, 32, 33, 36, 90];

describeTerminal("colours on a terminal", () => {
  let lab: TerminalLab;
  let kubelet: FakeKubelet;

  beforeAll(async () => {
    lab = await terminalLab();
    await givePod(lab, "well", running);
    await givePod(lab, "new", { phase: "Pending" });
    await givePod(lab, "ill", waiting("CrashLoopBackOff"));
    await givePod(lab, "going", running, { finalizers: ["example.com/held"] });
    await lab.kubectl(["delete", "pod", "going", "--wait=false"]);
    lab.write({
      "map.yaml":
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\ndata:\n  text: |\n    key: 1\n  size: '3'\n",
      "changed.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\ndata:\n  size: '4'\n",
    });
    await lab.kubectl(["apply", "-f", "map.yaml"]);
    kubelet = await startFakeKubelet();
  });
  afterAll(async () => {
    await kubelet?.close();
    await lab?.[Symbol.asyncDispose]();
  });

  test("a table on a terminal marks states by colours, in the same columns as in a pipe", async () => {
    const terminal = await lab.open();
    const { screen } = await terminal.run("kubectl get pods");
    const codes = await terminal.screen("with codes");
    expect(codes).toMatch(inColour(BOLD, "STATUS"));
    expect(codes).toMatch(inColour(GREEN, "Running"));
    expect(codes).toMatch(inColour(YELLOW, "Pending"));
    expect(codes).toMatch(inColour(RED, "CrashLoopBackOff"));
    expect(codes).toMatch(inColour(GREY, "Terminating"));
    expect(codes).toMatch(inColour(YELLOW, "0/1"));
    const withoutAges = (text: string): string => text.replace(/\d+s$/gm, "");
    expect(withoutAges(screen)).toBe(withoutAges(await lab.kubectl(["get", "pods"])));
  });

  test.each([
    ["NO_COLOR", { NO_COLOR: "1" }],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0" }],
    ["a dumb terminal", { TERM: "dumb" }],
  ])("there are no colours on a terminal with %s", async (_name, env) => {
    const terminal = await lab.open({ env });
    await terminal.run("kubectl get pods; kubectl get pod nope");
    expect(await terminal.screen("with codes")).not.toContain("\u001b[3");
  });

  test("--color=never and --color=always override terminal and environment; another value is refused", async () => {
    const terminal = await lab.open({ env: { NO_COLOR: "1" } });
    await terminal.run("kubectl get pods --color=always");
    expect(await terminal.screen("with codes")).toMatch(inColour(GREEN, "Running"));
    const other = await lab.open();
    await other.run("kubectl --color=never get pods; kubectl --color=never get pod nope");
    expect(await other.screen("with codes")).not.toContain("\u001b[3");
    const { screen, code } = await other.run("kubectl get pods --color=red");
    expect({ screen, code }).toEqual({ screen: 'error: invalid --color "red": use auto, always or never\n', code: 1 });
  });

  test("stdout and stderr have colours independently: one goes to a file, the other to the terminal", async () => {
    const terminal = await lab.open();
    await terminal.run("kubectl get pod well nope -o name >out");
    expect(await terminal.screen("with codes")).toMatch(inColour(RED, "Error from server \\(NotFound\\):"));
    expect(readFileSync(join(lab.folder, "out"), "utf8")).toBe("pod/well\n");
    await terminal.run("kubectl get pod well nope --no-headers 2>err");
    expect(await terminal.screen("with codes")).toMatch(inColour(GREEN, "Running"));
    expect(readFileSync(join(lab.folder, "err"), "utf8")).toBe('Error from server (NotFound): pods "nope" not found\n');
  });

  test("a file gets no colours, whatever FORCE_COLOR is; --color=always writes them without moving columns", async () => {
    const terminal = await lab.open({ env: { FORCE_COLOR: "1" } });
    await terminal.run("kubectl get pods -o wide >plain 2>&1; kubectl get pods -o wide --color=always >painted");
    const [plain, painted] = ["plain", "painted"].map((name) => readFileSync(join(lab.folder, name), "utf8"));
    expect(plain).not.toContain("\u001b");
    expect(painted).toMatch(inColour(GREEN, "Running"));
    const withoutAges = (text = ""): string => text.replace(/\d+s +/g, "");
    expect(withoutAges(painted?.replaceAll(CODE, ""))).toBe(withoutAges(plain));
  });

  test("YAML, JSON and KYAML have coloured keys, numbers and null, and no colours within a text block", async () => {
    const terminal = await lab.open({ rows: 60 });
    await terminal.run("kubectl get -f map.yaml -o yaml");
    const yaml = await terminal.screen("with codes");
    expect(yaml).toMatch(inColour(CYAN, "kind"));
    expect(yaml).toContain("\n    key: 1");
    await terminal.run("kubectl get pod ill -o json");
    const json = await terminal.screen("with codes");
    expect(json).toMatch(inColour(CYAN, '"restartCount"'));
    expect(json).toMatch(inColour(YELLOW, "4"));
    await terminal.run("kubectl get pod ill -o kyaml");
    expect(await terminal.screen("with codes")).toMatch(inColour(CYAN, "restartCount"));
  });

  test("a description has coloured keys and states", async () => {
    const terminal = await lab.open({ columns: 120, rows: 60 });
    const { screen } = await terminal.run("kubectl describe pod ill");
    const codes = await terminal.screen("with codes");
    expect(codes).toMatch(inColour(CYAN, "Name:"));
    expect(codes).toMatch(inColour(RED, "CrashLoopBackOff"));
    expect(codes).toMatch(inColour(YELLOW, "4"));
    expect(screen).toBe((await lab.kubectl(["describe", "pod", "ill"])).replace(/ +$/gm, ""));
  });

  test("a diff has removed lines in red and added ones in green", async () => {
    const terminal = await lab.open({ columns: 160 });
    const { code } = await terminal.run("kubectl diff -f changed.yaml");
    const codes = await terminal.screen("with codes");
    expect(codes).toMatch(inColour(RED, '-  size: "3"'));
    expect(codes).toMatch(inColour(GREEN, '\\+  size: "4"'));
    expect(codes).toMatch(new RegExp(`\u001b\\[${CYAN}m(${CODE.source})*@@`));
    expect(code).toBe(1);
    await terminal.run("KUBECTL_EXTERNAL_DIFF='echo chosen' kubectl diff -f changed.yaml");
    expect(await terminal.screen()).toMatch(/MERGED-\d+ chosen$/m);
  });

  test("logs of several pods have a colour for each pod", async () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "one" } };
    await lab.kubectl(["create", "-f", "-"], JSON.stringify(node));
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    };
    const patch = JSON.stringify({ status });
    await lab.kubectl(["patch", "node", "one", "--subresource=status", "--type=merge", "-p", patch]);
    for (const name of ["log-a", "log-b"]) {
      const spec = { nodeName: "one", containers: [{ name: "app", image: "web" }] };
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: "log" } }, spec };
      await lab.kubectl(["create", "-f", "-"], JSON.stringify(pod));
    }
    const terminal = await lab.open();
    const { screen } = await terminal.run("kubectl logs -l app=log --prefix");
    const codes = await terminal.screen("with codes");
    const colourOf = (pod: string): string | undefined =>
      new RegExp(`\u001b\\[(\\d+)m\\[pod/${pod}/app\\]`).exec(codes)?.[1];
    expect(colourOf("log-a")).toBeDefined();
    expect(colourOf("log-b")).toBeDefined();
    expect(colourOf("log-a")).not.toBe(colourOf("log-b"));
    expect(screen).toContain("[pod/log-b/app] second line\n");
  });
});
