// The shim of @kubets/native, which is its command where its install script did not run. A shell script is in the place of the
// executable: it shows what reaches it.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { ownTarget } from "../../tools/executable/build.mjs";
import { eventually } from "../helpers/eventually.js";
import { writeProgram } from "../helpers/write-program.js";
import { nodes } from "./nodes.js";

const HAS_SCRIPT = spawnSync("script", ["--version"]).status === 0;
if (!HAS_SCRIPT) process.stdout.write("tests of the shim on a terminal are skipped: there is no script(1)\n");

// Scripts of /bin/sh stand for the executable.
describe.skipIf(process.platform === "win32").each(nodes)("the shim of @kubets/native on %s", (_, node) => {
  let folder: string;
  let shim: string;
  let env: Record<string, string>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-shim-"));
    shim = join(folder, "package/bin/kubets");
    cpSync(join(import.meta.dirname, "../../packages/native"), join(folder, "package"), { recursive: true });
    declare([ownTarget]);
    env = { PATH: "/usr/bin:/bin", HOME: join(folder, "home") };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Writes the manifest that a release writes. */
  const declare = (targets: readonly string[]): void => {
    const path = join(folder, "package/package.json");
    const optionalDependencies = Object.fromEntries(targets.map((target) => [`@kubets/native-${target}`, "0.0.0"]));
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), optionalDependencies }));
  };
  const executable = (script: string): void => {
    const home = join(folder, "package/node_modules/@kubets", `native-${ownTarget}`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), "{}");
    writeProgram(join(home, "kubets"), `#!/bin/sh\n${script}\n`);
  };
  const run = (words: readonly string[] = [], input = "") => {
    const { status, stdout, stderr } = spawnSync(node, [shim, ...words], { env, input, encoding: "utf8" });
    return { code: status, stdout, stderr };
  };

  test("passes on arguments, environment and input, and exits with the executable's code", () => {
    executable('printf "<%s>" "$@"; echo "$SHOP"; cat; echo wrong >&2; exit 23');
    env["SHOP"] = "flowers";
    expect(run(["get", "two words", ""], "in\nput")).toEqual({
      code: 23,
      stdout: "<get><two words><>flowers\nin\nput",
      stderr: "wrong\n",
    });
  });

  test("starts the executable under the name of the link that was called", () => {
    // A shell script does not see what it was called; the shell itself says it in its errors.
    executable("");
    const home = join(folder, "package/node_modules/@kubets", `native-${ownTarget}`);
    rmSync(join(home, "kubets"));
    symlinkSync("/bin/bash", join(home, "kubets"));
    symlinkSync(shim, join(folder, "kubectl"));
    const { stdout } = spawnSync(node, [join(folder, "kubectl"), "-c", "echo $0"], { env, encoding: "utf8" });
    expect(stdout).toBe(`${folder}/kubectl\n`);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)("passes %s on to the executable", async (signal) => {
    const name = signal.slice(3);
    executable(
      `trap 'echo ${name}; exit 9' ${name}; echo ready; i=0; while [ $((i+=1)) -lt 400 ]; do sleep 0.05; done`,
    );
    // A session without a terminal.
    const child = spawn(node, [shim], { env, detached: true, stdio: ["ignore", "pipe", "inherit"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const ended = new Promise((resolve) => child.once("close", (code) => resolve(code)));
    await eventually(async () => expect(stdout).toBe("ready\n"));
    child.kill(signal);
    expect(await ended).toBe(9);
    expect(stdout).toBe(`ready\n${name}\n`);
  });

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("ends by %s when the executable ends by it", async (signal) => {
    executable(`kill -${signal.slice(3)} $$; sleep 5`);
    const child = spawn(node, [shim], { env, stdio: "ignore" });
    expect(await new Promise((resolve) => child.once("close", (code, by) => resolve({ code, by })))).toEqual({
      code: null,
      by: signal,
    });
  });

  test.skipIf(!HAS_SCRIPT)("lets the terminal send Ctrl-C to the executable, which gets it once", async () => {
    executable(
      "trap 'n=$((n+1))' INT; echo ready; i=0; while [ $i -lt 20 ]; do sleep 0.05; i=$((i+1)); done; echo got $n",
    );
    const child = spawn("script", ["-qec", `${node} ${shim}`, "/dev/null"], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const ended = new Promise((resolve) => child.once("close", resolve));
    await eventually(async () => expect(stdout).toContain("ready"));
    child.stdin.write("\x03");
    await ended;
    expect(stdout).toContain("got 1");
  });

  test.skipIf(!HAS_SCRIPT)("prints once on a terminal that Node runs first, and never in a pipe", () => {
    executable("echo ran");
    const notice = /@kubets\/native starts Node before its executable here/;
    const onTerminal = (): string =>
      spawnSync("script", ["-qec", `${node} ${shim}`, "/dev/null"], { env, encoding: "utf8" }).stdout;
    expect(run()).toEqual({ code: 0, stdout: "ran\n", stderr: "" });
    expect(onTerminal()).toMatch(notice);
    expect(onTerminal()).not.toMatch(notice);
    expect(run()).toEqual({ code: 0, stdout: "ran\n", stderr: "" });
  });

  test.skipIf(!HAS_SCRIPT)("prints nothing when it cannot record that it has printed", () => {
    executable("echo ran");
    writeFileSync(join(folder, "home"), "not a folder");
    const { stdout } = spawnSync("script", ["-qec", `${node} ${shim}`, "/dev/null"], { env, encoding: "utf8" });
    expect(stdout).toBe("ran\r\n");
  });

  test("names the JavaScript package on a platform that has no executable", () => {
    declare(["plan9-x64", "plan9-arm64"]);
    expect(run()).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: @kubets/native has no executable for ${ownTarget}, only for plan9-x64, plan9-arm64
kubets in JavaScript runs wherever Node does: npm uninstall -g @kubets/native && npm install -g kubets
`,
    });
  });

  test("names the missing package when npm left it out", () => {
    expect(run()).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: the package @kubets/native-${ownTarget}, which holds the executable, is not installed: npm leaves it out with --omit=optional and on a Linux without glibc
kubets in JavaScript runs wherever Node does: npm uninstall -g @kubets/native && npm install -g kubets
`,
    });
  });

  describe("the install script of @kubets/native", () => {
    const install = (agent: string) => {
      const script = join(folder, "package/install.js");
      const surroundings = { env: { ...env, npm_config_user_agent: agent }, encoding: "utf8" } as const;
      const { status, stderr } = spawnSync(node, [script], surroundings);
      return { code: status, stderr };
    };
    const NPM = "npm/11.19.1 node/v24.21.0 linux x64";

    test("replaces the shim by the executable, and does so again", () => {
      executable("echo executable");
      expect(install(NPM)).toEqual({ code: 0, stderr: "" });
      expect(readFileSync(shim, "utf8")).toBe("#!/bin/sh\necho executable\n");
      expect(install(NPM)).toEqual({ code: 0, stderr: "" });
      expect(spawnSync(shim, { encoding: "utf8" }).stdout).toBe("executable\n");
      expect(existsSync(`${shim}.new`)).toBe(false);
    });

    test("leaves the shim for other package managers, which may have recorded how to start it", () => {
      executable("echo executable");
      expect(install("pnpm/10.0.0 npm/? node/v24.21.0 linux x64")).toEqual({ code: 0, stderr: "" });
      expect(readFileSync(shim, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    });

    test("fails, and leaves the shim, when the executable does not run", () => {
      executable("echo 'GLIBC_2.99 not found' >&2; exit 127");
      expect(install(NPM)).toEqual({
        code: 1,
        stderr: `error: the executable does not run on this machine: GLIBC_2.99 not found
kubets in JavaScript runs wherever Node does: npm uninstall -g @kubets/native && npm install -g kubets
`,
      });
      expect(readFileSync(shim, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    });

    test("fails, and names the JavaScript package, when there is no executable", () => {
      declare(["plan9-x64"]);
      expect(install(NPM)).toMatchObject({ code: 1, stderr: expect.stringContaining("npm install -g kubets\n") });
    });
  });
});
