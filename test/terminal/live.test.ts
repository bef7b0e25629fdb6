import { eventually } from "../helpers/eventually.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realTool } from "../helpers/real-tools.js";
import { givePod, ready, setStatus } from "./objects.js";
import { describeTerminal, type TerminalLab, terminalLab } from "./terminal.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined)
  process.stdout.write(`kubectl's exit code on Ctrl-C is not compared: ${kubectl.missing}\n`);

describeTerminal("lines that are redrawn on a terminal", () => {
  let lab: TerminalLab;
  const file = (name: string): string => readFileSync(join(lab.folder, name), "utf8");

  beforeAll(async () => {
    lab = await terminalLab();
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  const deployment = async (name: string): Promise<void> => {
    await lab.kubectl(["create", "deployment", name, "--image=web", "--replicas=2"]);
    await setStatus(lab, `deployment/${name}`, { observedGeneration: 1, replicas: 2, updatedReplicas: 2 });
  };

  test("wait shows state and time on a line that it redraws, and leaves its last output alone on the screen", async () => {
    await givePod(lab, "one", ready(false));
    const terminal = await lab.open();
    await terminal.start("kubectl wait pod/one --for=condition=Ready --timeout=10m");
    const state = "pods/one: Ready is False (ContainersNotReady), waiting for true";
    // A busy machine may show none of the first seconds: any second, and then another one in its place.
    const lineIn = (screen: string): string | undefined => /^\S.* \(\d+s\)$/.exec(screen)?.[0];
    const first = lineIn(await terminal.shows(/ \(\d+s\)$/));
    expect(first).toContain(`${state} (`);
    const later = await eventually(async () => {
      const screen = await terminal.screen();
      expect(lineIn(screen)).not.toBe(first);
      return screen;
    });
    expect(lineIn(later)).toBe(later);
    expect(later).toContain(`${state} (`);
    await setStatus(lab, "pod/one", ready(true));
    expect(await terminal.end()).toEqual({ screen: "pod/one condition met\n", code: 0 });
  });

  test("wait escapes what a server says in a condition or field, on one line", async () => {
    const reason = "\u001b[31mRed\u001b]0;title\u0007\u009b2J\nsecond";
    const shown = "^[[31mRed^[]0;title^G\\x9b2J\\nsecond";
    await givePod(lab, "hostile", { ...ready(false), message: reason });
    const notReady = { type: "Ready", status: "False", reason };
    await setStatus(lab, "pod/hostile", { conditions: [notReady], message: reason });
    const terminal = await lab.open({ columns: 120, env: { NO_COLOR: "1" } });
    await terminal.start("kubectl wait pod/hostile --for=condition=Ready");
    await terminal.shows(`pods/hostile: Ready is False (${shown})`, "with codes");
    await terminal.press("C-c");
    await terminal.end();
    await terminal.start("kubectl wait pod/hostile --for=jsonpath='{.status.message}'=fine");
    await terminal.shows(`is ${shown}`, "with codes");
    await terminal.press("C-c");
    await terminal.end();
  });

  test("wait for several objects shows a line for each, and removes it when the object is done", async () => {
    for (const name of ["many-a", "many-b"]) await givePod(lab, name, ready(false), { labels: { app: "many" } });
    const terminal = await lab.open();
    await terminal.start("kubectl wait pod -l app=many --for=condition=Ready");
    await terminal.shows(/^\npods\/many-a: .*\npods\/many-b: .*$/);
    await setStatus(lab, "pod/many-a", ready(true));
    await terminal.shows(/^\npod\/many-a condition met\npods\/many-b: .*$/);
    await setStatus(lab, "pod/many-b", ready(true));
    const { screen } = await terminal.end();
    expect(screen).toBe("pod/many-a condition met\npod/many-b condition met\n");
  });

  test("wait with stdout in a file draws the lines on the terminal, and the file gets the last output only", async () => {
    await givePod(lab, "filed", ready(false));
    const terminal = await lab.open();
    await terminal.start("kubectl wait pod/filed --for=condition=Ready >out");
    await terminal.shows("pods/filed: Ready is False");
    await setStatus(lab, "pod/filed", ready(true));
    expect(await terminal.end()).toEqual({ screen: "", code: 0 });
    expect(file("out")).toBe("pod/filed condition met\n");
  });

  test("wait with stderr in a file draws no lines, neither there nor on the terminal", async () => {
    await givePod(lab, "silent", ready(false));
    const terminal = await lab.open();
    const { screen, code } = await terminal.run("kubectl wait pod/silent --for=condition=Ready --timeout=2s 2>err");
    expect({ screen, code }).toEqual({ screen: "", code: 1 });
    expect(file("err")).toBe("error: timed out waiting for the condition on pods/silent\n");
  });

  test("Ctrl-C in wait clears the lines, shows the cursor, and exits with kubectl's code", async () => {
    await givePod(lab, "held", ready(false));
    const terminal = await lab.open();
    await terminal.start("kubectl wait pod/held --for=condition=Ready");
    await terminal.shows("pods/held: Ready is False");
    await terminal.press("C-c");
    const ours = await terminal.end();
    expect(ours.screen).toBe("");
    expect(await terminal.cursorIsVisible()).toBe(true);
    if (kubectl.missing !== undefined) return;
    await terminal.start(`${kubectl.path} wait pod/held --for=condition=Ready -v=6`);
    await terminal.shows("watch=true");
    await terminal.press("C-c");
    expect(ours.code).toBe((await terminal.end()).code);
  });

  test("wait cuts a line to a narrow terminal, also after a resize, and never wraps", async () => {
    await givePod(lab, "narrow", ready(false));
    const terminal = await lab.open({ columns: 40, rows: 10 });
    await terminal.start("kubectl wait pod/narrow --for=condition=Ready");
    expect(await terminal.shows("…")).toBe("pods/narrow: Ready is False (Container…");
    await terminal.resize(24);
    expect(await terminal.shows(/ is …$/)).toBe("pods/narrow: Ready is …");
    await setStatus(lab, "pod/narrow", ready(true));
    expect((await terminal.end()).screen).toBe("pod/narrow condition met\n");
  });

  test("rollout status redraws one line, and only the last state stays", async () => {
    await deployment("web");
    const terminal = await lab.open();
    await terminal.start("kubectl rollout status deployment/web");
    await terminal.shows(/^\ndeployments\/web: 0 of 2 updated replicas are available \(\d+s\)$/);
    await setStatus(lab, "deployment/web", { readyReplicas: 1, availableReplicas: 1 });
    await terminal.shows(/^\ndeployments\/web: 1 of 2 updated replicas are available \(\d+s\)$/);
    await setStatus(lab, "deployment/web", { readyReplicas: 2, availableReplicas: 2 });
    const { screen, code } = await terminal.end();
    expect({ screen, code }).toEqual({ screen: 'deployment "web" successfully rolled out\n', code: 0 });
  });

  test("Ctrl-C ends rollout status with kubectl's exit code, and the last state stays", async () => {
    await deployment("stuck");
    const terminal = await lab.open({ columns: 120 });
    const line = 'Waiting for deployment "stuck" rollout to finish: 0 of 2 updated replicas are available...\n';
    await terminal.start("kubectl rollout status deployment/stuck");
    await terminal.shows("deployments/stuck: 0 of 2");
    await terminal.press("C-c");
    const ours = await terminal.end();
    expect(ours.screen).toBe(line);
    expect(await terminal.cursorIsVisible()).toBe(true);
    if (kubectl.missing !== undefined) return;
    await terminal.start(`${kubectl.path} rollout status deployment/stuck`);
    await terminal.shows("0 of 2");
    await terminal.press("C-c");
    expect(ours.code).toBe((await terminal.end()).code);
  });
});
