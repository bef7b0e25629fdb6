import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeTerminal, type TerminalLab, terminalLab } from "./terminal.js";

const hasVi = spawnSync("vi", ["--version"]).status === 0;
if (!hasVi) process.stdout.write("the test of edit with vi is skipped: there is no vi\n");

describeTerminal("questions on a terminal", () => {
  let lab: TerminalLab;

  beforeAll(async () => {
    lab = await terminalLab();
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  const maps = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await lab.kubectl(["create", "configmap", name, "--from-literal=colour=green"]);
  };
  const names = (): Promise<string> => lab.kubectl(["get", "cm", "-o", "name"]);

  test("delete -i lists what it would delete, and deletes it after y", async () => {
    await maps("goes-a", "goes-b", "stays");
    const terminal = await lab.open();
    await terminal.start("kubectl delete cm goes-a goes-b -i");
    expect(await terminal.shows("(y/N):")).toBe(
      "You are about to delete the following 2 resource(s):\nconfigmap/goes-a\nconfigmap/goes-b\nDo you want to continue? (y/N):",
    );
    await terminal.press("y", "Enter");
    const { screen, code } = await terminal.end();
    expect(screen.split("\n").slice(3)).toEqual([
      "Do you want to continue? (y/N): y",
      'configmap "goes-a" deleted from default namespace',
      'configmap "goes-b" deleted from default namespace',
      "",
    ]);
    expect(code).toBe(0);
    expect(await names()).toBe("configmap/kube-root-ca.crt\nconfigmap/stays\n");
  });

  test.each([
    ["n", ["n", "Enter"]],
    ["nothing", ["Enter"]],
    ["yes, which is not y", ["y", "e", "s", "Enter"]],
    ["the end of input", ["C-d"]],
  ])("delete -i with the answer %s deletes nothing", async (_answer, keys) => {
    const name = `kept-${keys.length}-${keys[0]?.toLowerCase()}`;
    await maps(name);
    const terminal = await lab.open();
    await terminal.start(`kubectl delete cm ${name} -i`);
    await terminal.shows("(y/N):");
    await terminal.press(...keys);
    const { screen, code } = await terminal.end();
    expect(screen).toContain("deletion is cancelled\n");
    expect(code).toBe(0);
    expect(await names()).toContain(`configmap/${name}\n`);
  });

  test("Ctrl-C at the question of delete -i exits as by a signal, and deletes nothing", async () => {
    await maps("asked");
    const terminal = await lab.open();
    await terminal.start("kubectl delete cm asked -i");
    await terminal.shows("(y/N):");
    await terminal.press("C-c");
    // A shell whose program a signal ended runs nothing more of the line.
    await terminal.shows("^C\n$");
    await terminal.press('echo "exit=$?"', "Enter");
    expect((await terminal.end()).code).toBe(130);
    expect(await names()).toContain("configmap/asked\n");
  });

  test("delete without -i asks no question on a terminal", async () => {
    await maps("plain");
    const terminal = await lab.open();
    const { screen } = await terminal.run("kubectl delete cm plain");
    expect(screen).toBe('configmap "plain" deleted from default namespace\n');
  });

  test.skipIf(!hasVi)("edit opens vi on the terminal, and the server gets what the user wrote", async () => {
    await maps("edited");
    const terminal = await lab.open({ env: { EDITOR: "vi" } });
    await terminal.start("kubectl edit cm edited");
    expect(await terminal.shows("colour: green")).not.toContain("^[");
    await terminal.press("Escape", ":%s/green/blue/", "Enter", ":wq", "Enter");
    expect(await terminal.end()).toEqual({ screen: "configmap/edited edited\n", code: 0 });
    expect(await lab.kubectl(["get", "cm", "edited", "-o", "jsonpath={.data.colour}"])).toBe("blue");
  });

  test("edit with a script as an editor that changes nothing is cancelled", async () => {
    await maps("same");
    lab.write({ "look.sh": "#!/bin/sh\ntest -t 0 && test -t 1 && echo 'a terminal'\n" });
    const terminal = await lab.open({ env: { EDITOR: "sh look.sh" } });
    expect(await terminal.run("kubectl edit cm same")).toEqual({
      screen: "a terminal\nEdit cancelled, no changes made.\n",
      code: 0,
    });
  });
});
