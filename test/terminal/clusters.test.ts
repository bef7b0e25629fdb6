import { afterAll, beforeAll, expect, test } from "vitest";
import { describeTerminal, type Terminal, type TerminalLab, terminalLab } from "./terminal.js";

describeTerminal("kubets cluster on a terminal", () => {
  let lab: TerminalLab;
  let terminal: Terminal;

  beforeAll(async () => {
    lab = await terminalLab();
    terminal = await lab.open({ columns: 110 });
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  test("cluster start prints that Ctrl-C stops it, what is lost then, and how to run it in the background", async () => {
    await terminal.start("kubectl cluster start fore --storage=memory");
    await terminal.shows("Ctrl-C stops it: its objects are lost then. With --detach it runs in the background.");
    await terminal.press("C-c");
    const { screen, code } = await terminal.end();
    expect([code, screen]).toEqual([0, expect.stringContaining('cluster "fore" stopped')]);
  });

  test("cluster run prints that it ends with its command, shows the progress of a wait, and Ctrl-C ends that", async () => {
    const spec = `{"spec":{"nodeSelector":{"disk":"tape"}}}`;
    await terminal.start(`kubectl cluster run --wait -- kubectl run web --image=i --overrides='${spec}'`);
    await terminal.shows(/cluster: 0 of 1 pods ready \(\d+s\)/);
    await terminal.press("C-c");
    const { screen, code } = await terminal.end();
    expect(code).toBe(130);
    expect(screen).toContain("The cluster ends with the command, which gets Ctrl-C: its objects are lost then.");
    expect(screen).not.toContain("pods ready");
  });
});
