import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realTool } from "../../helpers/real-tools.js";
import { clusterUnderTest, type ServedCluster } from "../../helpers/cluster-under-test.js";
import { describeTerminal, type Terminal, type TerminalLab, terminalsOf } from "../../terminal/terminal.js";

const { path, missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`sessions of kubectl on a terminal are skipped: ${missing}\n`);

/** How a session ended, and what the terminal showed of it. */
interface Outcome {
  readonly screen: string;
  readonly code: number;
}

/** What a person does at a terminal. `name` is for what is created: the two programs have different ones. */
type Play = (terminal: Terminal, name: string) => Promise<Outcome>;

/** A shell that lives on when an interrupt ends the command, and ends with its exit code. */
const inShell = (command: string): string => `sh -c 'trap : INT QUIT; ${command}; exit $?'`;

const describeBoth = missing === undefined ? describeTerminal : describe.skip;

describeBoth("on a terminal, kubectl and kubets alike", () => {
  let lab: TerminalLab<ServedCluster>;

  beforeAll(async () => {
    lab = await terminalsOf(await clusterUnderTest({ nodes: 1 }));
    const shell = { name: "main", image: "shell", stdin: true, tty: true, command: ["sh"] };
    const pods = ["web", "left-theirs", "left-ours", "ended-theirs", "ended-ours"].map((name) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { containers: [shell] },
    }));
    await lab.kubectl(["create", "-f", "-"], pods.map((pod) => JSON.stringify(pod)).join("\n---\n"));
    await lab.kubectl(["wait", "pod", "--all", "--for=condition=Ready"]);
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  /** Plays it with both programs at once. The terminal has the same settings before and after. */
  async function both(play: Play): Promise<readonly [theirs: Outcome, ours: Outcome]> {
    const by = async (name: string, env: Readonly<Record<string, string>>): Promise<Outcome> => {
      const terminal = await lab.open({ columns: 200, rows: 30, env });
      const before = await terminal.run("stty -g");
      const { screen, code } = await play(terminal, name);
      expect(await terminal.run("stty -g")).toEqual(before);
      return { screen: screen.replaceAll(name, "NAME"), code };
    };
    return await Promise.all([by("theirs", { PATH: `${dirname(path)}:/usr/bin:/bin` }), by("ours", {})]);
  }

  async function alike(play: Play): Promise<Outcome> {
    const [theirs, ours] = await both(play);
    expect(ours).toEqual(theirs);
    return theirs;
  }

  /** A shell in a container shows the size of its terminal, before and after a change. */
  async function resize(terminal: Terminal): Promise<void> {
    await terminal.press("stty size", "Enter");
    await terminal.shows("\n30 200");
    await terminal.resize(150, 40);
    // The new size is on its way, as the keys are.
    await terminal.press('while [ "$(stty size)" = "30 200" ]; do sleep 0.01; done; stty size', "Enter");
    // What comes before the prompt stands before it.
    await terminal.shows(/\n40 150\n\/ #/);
  }

  test("exec -it: runs a shell in a terminal of the user's size, and exits with its code", async () => {
    const { screen, code } = await alike(async (terminal) => {
      await terminal.start("kubectl exec -it web -- sh");
      // Keys that come before the prompt would stand before it.
      await terminal.shows(/\n\/ #/);
      await resize(terminal);
      await terminal.press("exit 9", "Enter");
      return await terminal.end();
    });
    expect([code, screen]).toEqual([9, expect.stringMatching(/exit 9\ncommand terminated with exit code 9\n$/)]);
  });

  test.each([
    { key: "C-c", signal: 2 },
    { key: "C-\\", signal: 3 },
  ])("exec -it: $key reaches the remote terminal", async ({ key, signal }) => {
    const { screen, code } = await alike(async (terminal) => {
      await terminal.start("kubectl exec -it web -- sh -c 'echo ready; sleep 1000'");
      await terminal.shows(/\nready/);
      await terminal.press(key);
      return await terminal.end();
    });
    expect(code).toBe(128 + signal);
    expect(screen).toContain(`command terminated with exit code ${128 + signal}\n`);
  });

  test.each([
    { flags: "-i", code: 1 },
    { flags: "", code: 130 },
  ])("exec $flags without -t: Ctrl-C ends the local command, with code $code", async ({ flags, code }) => {
    const outcome = await alike(async (terminal) => {
      await terminal.start(inShell(`kubectl exec ${flags} web -- sh -c "echo ready; sleep 1000"`));
      await terminal.shows(/\nready/);
      await terminal.press("C-c");
      return await terminal.end();
    });
    expect(outcome).toEqual({ screen: "ready\n^C", code });
  });

  describe.each(["TERM", "HUP", "INT", "QUIT"])("SIG%s while exec has set the terminal to raw mode", (signal) => {
    test("ends the command with code 1 and restores the terminal", async () => {
      const { code } = await alike(async (terminal, name) => {
        await terminal.start(`sh -c 'echo $$ > pid-${name}; exec kubectl exec -it web -- sh -c "echo ready; cat"'`);
        await terminal.shows(/\nready/);
        process.kill(Number(readFileSync(join(lab.folder, `pid-${name}`), "utf8")), `SIG${signal}`);
        return await terminal.end();
      });
      expect(code).toBe(1);
    });
  });

  test("attach -it: has the terminal's size, and ends at the detach keys", async () => {
    const { screen, code } = await alike(async (terminal, name) => {
      await terminal.start(`kubectl attach -it left-${name}`);
      await terminal.shows("try pressing enter");
      await resize(terminal);
      await terminal.press("C-p", "C-q");
      return await terminal.end();
    });
    const again = "Session ended, resume using 'kubectl attach left-NAME -c main -n default -i -t' command\n";
    expect([code, screen]).toEqual([0, expect.stringContaining(again)]);
  });

  test("attach -it: does not exit with the program's code", async () => {
    const { code } = await alike(async (terminal, name) => {
      await terminal.start(`kubectl attach -it ended-${name}`);
      await terminal.shows("try pressing enter");
      await terminal.press("echo bye; exit 7", "Enter");
      return await terminal.end();
    });
    expect(code).toBe(0);
  });

  test("run -it --rm: exits with the pod's code, and deletes the pod", async () => {
    const { screen, code } = await alike(async (terminal, name) => {
      await terminal.start(`kubectl run ${name} --image=shell --restart=Never -it --rm -- sh`);
      await terminal.shows("try pressing enter");
      await terminal.press("exit 6", "Enter");
      return await terminal.end();
    });
    expect(code).toBe(6);
    expect(screen).toMatch(/pod "NAME" deleted from default namespace\npod default\/NAME terminated \(Error\)\n$/);
  });

  test("run -it: the detach keys leave the pod running", async () => {
    const { code } = await alike(async (terminal, name) => {
      // A shell's prompt may come before the session or after the keys that end it; cat has none.
      await terminal.start(`kubectl run kept-${name} --image=shell -it -- cat`);
      await terminal.shows("try pressing enter");
      await terminal.press("C-p", "C-q");
      return await terminal.end();
    });
    const phases = await lab.kubectl([
      "get",
      "pods",
      "kept-theirs",
      "kept-ours",
      "-o=jsonpath={.items[*].status.phase}",
    ]);
    expect([code, phases]).toEqual([0, "Running Running"]);
  });

  test("debug -it: kubets first prints what it changes", async () => {
    const [theirs, ours] = await both(async (terminal, name) => {
      await terminal.start(`kubectl debug web -it --image=shell -c ${name} -- sh`);
      await terminal.shows("try pressing enter");
      await terminal.press("stty size", "Enter");
      await terminal.shows("\n30 200");
      await terminal.press("exit 5", "Enter");
      return await terminal.end();
    });
    expect(theirs).toEqual({
      code: 0,
      screen: expect.stringContaining("the ephemeral container will not be restarted"),
    });
    const [change, session = ""] = ours.screen.split(/(?=^All commands)/m);
    expect(change).toMatch(/^pod\/web gets the ephemeral container .*\n$/);
    expect({ ...ours, screen: session }).toEqual(theirs);
  });
});
