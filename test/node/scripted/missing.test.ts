import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import type { ContainerSpec } from "../../../src/node/container-runtime.js";
import { Container } from "../../../src/node/scripted/container.js";
import { FileSystem } from "../../../src/node/scripted/files/file-system.js";
import { serverLimits } from "../../../src/node/scripted/limits/server-limits.js";
import type { MissingError } from "../../../src/node/scripted/missing.js";
import { PodView } from "../../../src/node/scripted/network/container-network.js";
import { PodPorts } from "../../../src/node/scripted/ports.js";
import { USUAL_PROGRAMS } from "../../../src/node/scripted/programs/index.js";
import { scriptedSpec, startScripted } from "../../helpers/scripted-container.js";

/** Runs a main process that ends at what is missing; gives how it ended and its log. */
async function main(
  argv: readonly string[],
  files: Readonly<Record<string, string>> = {},
  spec: ContainerSpec = scriptedSpec,
) {
  const limits = serverLimits();
  const container = new Container({
    spec,
    files: async (space) => {
      const made = new FileSystem({ clock: systemClock, space });
      for (const [name, program] of Object.entries(USUAL_PROGRAMS)) made.install(`/bin/${name}`, program);
      made.makeDirectory("/work");
      made.mount("/dev/null", { read: () => [], write: () => {} });
      for (const [path, content] of Object.entries(files)) made.put(path, content);
      return made;
    },
    server: limits,
    hasCapacity: false,
    ports: new PodPorts(),
    network: new PodView({ pod: scriptedSpec.pod, network: undefined, dialPod: async () => undefined }),
    env: { PATH: "/bin" },
    cwd: "/work",
    clock: systemClock,
    timers: systemTimers,
  });
  await container.openFiles();
  let missing: MissingError | undefined;
  const ended = await container.run(argv, undefined, (found) => {
    missing = found;
    return () => 127;
  });
  const exit = { ...ended, ...(missing && { missing }) };
  const log: string[] = [];
  for await (const { line } of container.log.read({ follow: false, signal: new AbortController().signal }))
    log.push(Buffer.from(line).toString("utf8"));
  container.dropFiles();
  expect([limits.memory.used, limits.processes.used]).toEqual([0, 0]);
  return { exit, log: log.join("") };
}

const PROGRAM = { kind: "program", what: "redis-server" };

describe("a container whose script calls a program that is missing is ended by kubets", () => {
  test.each([
    ["as a command", "echo a\nredis-server --port 1\necho never", 2],
    ["behind ||", "redis-server || true\necho never", 1],
    ["before &&", "redis-server && true; echo never", 1],
    ["in a condition", "if redis-server --version; then :; fi; echo never", 1],
    ["in a loop's condition", "until redis-server ping; do sleep 1; done", 1],
    ["without its errors", "redis-server 2>/dev/null; echo never", 1],
    ["negated", "! redis-server; echo never", 1],
    ["in a pipeline", "redis-server | cat; echo never", 1],
    ["at the end of a pipeline", "yes | redis-server; echo never", 1],
    ["in a command substitution", "x=$(redis-server -v); echo never", 1],
    ["in backquotes", "x=`redis-server -v`; echo never", 1],
    ["in a subshell", "(cd /; redis-server); echo never", 1],
    ["in a function", "f() {\n  redis-server\n}\nf || true; echo never", 2],
    ["in the background", "redis-server & wait; echo never", 1],
    ["by exec", 'set -- redis-server\nexec "$@"', 2],
    ["by command", "command redis-server; echo never", 1],
    ["by eval", "\neval redis-server; echo never", 2],
    ["behind an EXIT trap, which does not run", "trap 'echo never' EXIT; redis-server", 1],
    ["in another shell", "sh -c 'redis-server'; echo never", 1],
    ["by its path", "/usr/bin/redis-server", 1],
  ])("when it is called %s", async (_name, script, line) => {
    const { exit, log } = await main(["sh", "-c", script]);
    const what = script.startsWith("/") ? script : PROGRAM.what;
    expect(exit).toMatchObject({ exitCode: 127, missing: { kind: "program", what, place: { script: "sh", line } } });
    expect(log).toBe(script.startsWith("echo a") ? "a\n" : "");
  });

  test("and the message names the script's file, also of one that it sources", async () => {
    const files = {
      "/work/run.sh": "#!/bin/bash\n. ./lib.sh\nstart\n",
      "/work/lib.sh": "\nstart() {\n nginx\n}\nmissing-one\n",
    };
    const { exit } = await main(["sh", "/work/run.sh"], files);
    expect(exit.missing).toMatchObject({ what: "missing-one", place: { script: "./lib.sh", line: 5 } });
    expect(exit.missing?.message).toBe("./lib.sh: 5: missing-one: not found");
  });

  test("and the message names the file of the function that calls it", async () => {
    const files = { "/work/run.sh": "#!/bin/sh\n\n. ./lib.sh\n\nstart\n", "/work/lib.sh": "start() {\n  nginx\n}\n" };
    const { exit } = await main(["sh", "/work/run.sh"], files);
    expect(exit.missing?.message).toBe("./lib.sh: 2: nginx: not found");
  });

  test("when another program starts it", async () => {
    const { exit } = await main(["sh", "-c", "env A=1 redis-server || true; echo never"]);
    expect(exit.missing).toMatchObject({ ...PROGRAM, place: { script: "env", line: 0 } });
  });

  test("when the script sources a missing file of the image", async () => {
    const { exit } = await main(["sh", "-c", "echo a\n. /opt/bitnami/scripts/libos.sh || true"]);
    expect(exit.missing).toMatchObject({ kind: "program", what: "/opt/bitnami/scripts/libos.sh", place: { line: 2 } });
  });

  test.each([
    ["that it copies", "echo a\ncp /opt/app/server /tmp/ || true; echo never", "/opt/app/server"],
    ["that it copies with others", "echo a\ncp /bin/sh /opt/app/server /tmp/", "/opt/app/server"],
    ["that a pattern names", "echo a\ncp -r /opt/app/*.jar /tmp/", "/opt/app/*.jar"],
    ["that it moves", "echo a\nmv ./server /tmp/", "./server"],
    ["that it runs by the shell", "echo a\nbash /opt/app/start.sh", "/opt/app/start.sh"],
  ])("when a file of the image is missing %s", async (_name, script, what) => {
    const { exit, log } = await main(["sh", "-c", script]);
    expect(exit.missing).toMatchObject({ kind: "program", what, place: { script: "sh", line: 2 } });
    expect(log).toBe("a\n");
  });

  test("but not when a file is missing in a volume or in a temporary folder", async () => {
    const object = () => ({
      spec: { containers: [{ name: "c", volumeMounts: [{ name: "work", mountPath: "/shared" }] }] },
    });
    const spec = { ...scriptedSpec, pod: { ...scriptedSpec.pod, object } };
    const { exit, log } = await main(["sh", "-c", "cp /shared/a /work; mv /tmp/b /work; cp /sharedness"], {}, spec);
    const lost = "No such file or directory";
    expect(log).toBe(`cp: cannot copy '/shared/a': ${lost}\nmv: cannot move '/tmp/b' to '/work': ${lost}\n`);
    expect(exit).toEqual({ exitCode: 0 });
    const { exit: other } = await main(["cp", "/sharedness", "/work"], {}, spec);
    expect(other.missing?.message).toBe("cp: 0: /sharedness: not found");
  });

  test.each([
    ["parameter expansion", "x=a\necho ${x@Q}", 2, ""],
    ["export -f", "f() { :; }\nexport -f f", 2, ""],
    ["trap DEBUG", "trap 'echo never' DEBUG", 1, ""],
    ["declare -n", "declare -n a=b", 1, ""],
    ["shopt extglob", "shopt -s extglob", 1, ""],
    ['"(" unexpected', "echo one\nls !(a|b)", 2, "one\n"],
  ])("when the shell lacks a construct: %s", async (what, script, line, log) => {
    const ended = await main(["bash", "-c", script]);
    expect(ended.exit).toMatchObject({ exitCode: 127, missing: { kind: "construct", what, place: { line } } });
    expect(ended.log).toBe(log);
  });

  test.each([
    [
      "a script that asks for a program",
      "command -v nope || type nope >/dev/null 2>&1 || hash nope 2>/dev/null || echo no",
      0,
      "no\n",
    ],
    ["a script that is not executable", "echo : > f; ./f; echo $?", 0, "sh: 1: ./f: Permission denied\n126\n"],
    [
      "a script without its end",
      "if true; then echo",
      2,
      'sh: 1: Syntax error: end of file unexpected (expecting "fi")\n',
    ],
    ["a script that fails", "ls /nope; exit 3", 3, "ls: cannot access '/nope': No such file or directory\n"],
  ])("but not for %s", async (_name, script, exitCode, log) => {
    expect(await main(["sh", "-c", script])).toEqual({ exit: { exitCode }, log });
  });
});

test("exec of a script has the shell's message and code for a missing program", async () => {
  const { sh } = await startScripted();
  expect(await sh("nope || echo went on\nls !(a|b) 2>/dev/null")).toEqual({
    stdout: "went on\n",
    stderr: 'sh: 1: nope: not found\nsh: 2: Syntax error: "(" unexpected\n',
    code: 2,
  });
});
