import { afterAll, beforeAll, expect, test } from "vitest";
import { givePod, ready, setStatus } from "./objects.js";
import { describeTerminal, type TerminalLab, terminalLab } from "./terminal.js";

describeTerminal("full-screen commands on a terminal", () => {
  let lab: TerminalLab;

  beforeAll(async () => {
    lab = await terminalLab();
    await lab.kubectl(["config", "set-context", "zone", "--cluster=nowhere"]);
    await givePod(lab, "one", ready(false));
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  test("ctx lets the user pick by arrows and leave by Escape or Ctrl-C, and restores the shell's screen", async () => {
    const terminal = await lab.open();
    await terminal.start("echo before; kubectl ctx");
    expect(await terminal.shows(/> \S+ \(current\)/)).not.toContain("before");
    await terminal.press("Down");
    await terminal.shows("> zone");
    expect(await terminal.cursorIsVisible()).toBe(false);
    await terminal.press("Enter");
    expect(await terminal.end()).toEqual({ screen: 'before\nSwitched to context "zone".\n', code: 0 });
    expect(await terminal.cursorIsVisible()).toBe(true);
    for (const [key, code] of [["Escape", 1] as const, ["C-c", 130] as const]) {
      await terminal.start("kubectl ctx");
      await terminal.shows("> zone (current)");
      await terminal.press(key);
      expect(await terminal.end()).toEqual({ screen: "", code });
    }
    expect((await terminal.run("kubectl ctx -")).code).toBe(0);
  });

  test("watch is redrawn after a resize, never wraps, and ends when the condition holds", async () => {
    const terminal = await lab.open({ columns: 70, rows: 20 });
    await terminal.start("kubectl watch pod/one --for=condition=Ready");
    await terminal.shows(
      /^\npod\/one in namespace default\nReady is False \(ContainersNotReady\), waiting for true\nNAME /,
    );
    await terminal.resize(24, 10);
    await terminal.shows(/^\npod\/one in namespace d…\nReady is False \(Contai…\n/);
    await terminal.resize(70, 20);
    await terminal.shows("(ContainersNotReady), waiting for true");
    await setStatus(lab, "pod/one", ready(true));
    expect(await terminal.end()).toEqual({ screen: "pod/one condition met\n", code: 0 });
    await terminal.start("kubectl watch pod/one");
    await terminal.shows("q leaves");
    await terminal.press("q");
    expect(await terminal.end()).toEqual({ screen: "", code: 0 });
    expect(await terminal.cursorIsVisible()).toBe(true);
  });
});
