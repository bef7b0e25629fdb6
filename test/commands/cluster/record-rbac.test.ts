import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { programIsBuilt, programUnderTest } from "../../helpers/program-under-test.js";

const [program = "", ...programWords] = programUnderTest;

describe.skipIf(!programIsBuilt)("kubets cluster run --record-rbac", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "kubets-record-rbac-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: home, TMPDIR: home });
  const run = (...args: string[]): Promise<{ code: number; stderr: string }> =>
    new Promise((done) => {
      const words = [...programWords, "cluster", "run", ...args];
      execFile(program, words, { env: environment(), cwd: home }, (error, _stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : 0, stderr });
      });
    });
  const recorded = (): string => readFileSync(join(home, "roles.yaml"), "utf8");

  test("writes the roles of what the command did as the administrator, and not of the waits around it", async () => {
    const script = "kubets create configmap a -n kube-public && kubets get nodes -o name";
    const outcome = await run("--wait", "--record-rbac=roles.yaml", "--", "sh", "-c", script);
    expect(outcome).toEqual({ code: 0, stderr: "" });
    expect(recorded()).toBe(`# The rights that the user "kubernetes-admin" was seen to use, in 2 requests.
# They are what was seen, not what is needed: a run that took another path would have asked for other rights.
# Rights that every authenticated user has are left out.
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: recorded
rules:
- apiGroups:
  - ""
  resources:
  - nodes
  verbs:
  - list
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: recorded
  namespace: kube-public
rules:
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - create
`);
    expect(readdirSync(home).filter((name) => name.startsWith("roles.yaml"))).toEqual(["roles.yaml"]);
  });

  test("records a service account, marks what it was refused, and keeps the exit code of a command that fails", async () => {
    writeFileSync(join(home, "roles.yaml"), "of an earlier run");
    const script = "kubets get secrets --as=system:serviceaccount:default:operator || exit 7";
    const flags = ["--record-rbac=roles.yaml", "--record-rbac-user=default/operator"];
    expect(await run(...flags, "--", "sh", "-c", script)).toMatchObject({ code: 7 });
    expect(recorded()).toContain('# The rights that the user "system:serviceaccount:default:operator" was seen to use');
    expect(recorded()).toContain("---\n# The server refused these (403):\n#   list secrets\napiVersion: ");
    expect(recorded()).toContain("  name: operator\n  namespace: default\n");
  });

  test("writes the roles of a command that a signal ends", async () => {
    const script = "kubets get nodes -o name; trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done";
    const words = [...programWords, "cluster", "run", "--record-rbac=roles.yaml", "--", "sh", "-c", script];
    const child = spawn(program, words, { env: environment(), cwd: home, stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((done) => child.on("exit", done));
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      if (text.includes("ready")) child.kill("SIGTERM");
    }
    expect(await ended).toBe(3);
    expect(recorded()).toContain("  - nodes\n");
  });

  test("keeps the file of an earlier run where the command cannot be started", async () => {
    writeFileSync(join(home, "roles.yaml"), "of an earlier run");
    expect(await run("--record-rbac=roles.yaml", "--", "no-such-command-here")).toMatchObject({ code: 127 });
    expect(recorded()).toBe("of an earlier run");
  });

  test.each([
    ["in a folder that is not there", "none/roles.yaml", "no such file or directory"],
    ["that is a folder", "folder", "not a regular file"],
  ])("refuses a path %s before the command runs", async (_title, path, reason) => {
    mkdirSync(join(home, "folder"));
    const outcome = await run(`--record-rbac=${path}`, "--", "touch", "has-run");
    expect(outcome).toEqual({
      code: 1,
      stderr: `error: cannot write the recorded roles to ${join(home, path)}: ${reason}\n`,
    });
    expect(existsSync(join(home, "has-run"))).toBe(false);
  });

  test("warns of a user that has no effect, and refuses an empty file name and an empty user", async () => {
    expect(await run("--record-rbac-user=jane", "--", "true")).toEqual({
      code: 0,
      stderr: "Warning: --record-rbac-user has no effect without --record-rbac\n",
    });
    expect((await run("--record-rbac=", "--", "true")).stderr).toContain(
      "--record-rbac needs the name of a file to write",
    );
    expect((await run("--record-rbac=a", "--record-rbac-user=", "--", "true")).stderr).toContain(
      "--record-rbac-user needs the name of a user, or NAMESPACE/NAME of a service account",
    );
  });
});
