import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ClusterSession, clusterSession } from "../../helpers/cluster-session.js";
import { startOnTerminal } from "../../helpers/driven-terminal.js";
import { type CliResult, type CliSurroundings, runCli } from "../../helpers/run-cli.js";

let session: ClusterSession;
let kubeconfig: string;
let env: Record<string, string>;

beforeAll(async () => {
  session = await clusterSession();
  for (const name of ["shop", "stage"]) await session.kubectl(`create namespace ${name}`);
  kubeconfig = readFileSync(join(session.folder, "kubeconfig"), "utf8");
});
afterAll(() => session[Symbol.asyncDispose]());

let count = 0;
beforeEach(() => {
  // Each test has a kubeconfig of its own, and so a namespace before.
  const file = join(session.folder, `config-${(count += 1)}`);
  writeFileSync(file, kubeconfig);
  env = { HOME: session.folder, KUBECONFIG: file };
});

const ns = (line: string, more: CliSurroundings = {}): Promise<CliResult> =>
  runCli(["ns", ...line.split(" ").filter(Boolean)], { cwd: session.folder, env, program: "kubets", ...more });

const out = (stdout: string): CliResult => ({ code: 0, stdout, stderr: "" });
const failed = (stderr: string): CliResult => ({ code: 1, stdout: "", stderr });
const usage = (message: string): CliResult => failed(`error: ${message}\nSee 'kubets ns -h' for help and examples\n`);
const works = (namespace: string): CliResult => out(`Context "${context()}" works in namespace "${namespace}" now.\n`);
const context = (): string => "kubets";
const LIST = "default\nkube-node-lease\nkube-public\nkube-system\nshop\nstage\n";

test("ns without arguments lists the server's namespaces in a pipe", async () => {
  expect(await ns("")).toEqual(out(LIST));
});

test("ns -c prints the current namespace, which is default when the context names none", async () => {
  expect(await ns("-c")).toEqual(out("default\n"));
});

test("ns NAME switches the namespace, and ns - goes back and forth", async () => {
  expect(await ns("shop")).toEqual(works("shop"));
  expect(await ns("-c")).toEqual(out("shop\n"));
  expect((await session.kubectl("config view --minify")).code).toBe(0);
  expect(await ns("-")).toEqual(works("default"));
  expect(await ns("-")).toEqual(works("shop"));
});

test("ns refuses a namespace that does not exist, suggests a similar one, and accepts it with --force", async () => {
  const message = `error: no namespace "shopp" in context "${context()}"; --force switches to it all the same\n`;
  expect(await ns("shopp")).toEqual(failed(message));
  expect((await ns("shopp", { terminal: true })).stderr).toContain('Did you mean "shop"?');
  expect(await ns("-c")).toEqual(out("default\n"));
  expect(await ns("shopp --force")).toEqual(works("shopp"));
});

test("ns --force switches the namespace without a server, and all else fails", async () => {
  writeFileSync(env["KUBECONFIG"] ?? "", kubeconfig.replaceAll(/https:\/\/127.0.0.1:\d+/g, "https://127.0.0.1:1"));
  expect((await ns("shop")).stderr).toContain("was refused");
  expect(await ns("shop -f")).toEqual(works("shop"));
  expect(await ns("-c")).toEqual(out("shop\n"));
  expect(await ns("-")).toEqual(works("default"));
});

test("ns --context changes another context, which has its own previous namespace", async () => {
  await runCli(["config", "set-context", "other", "--cluster=x"], { env, cwd: session.folder });
  expect((await ns("a -f --context=other")).stdout).toBe('Context "other" works in namespace "a" now.\n');
  expect((await ns("b -f --context=other")).stdout).toBe('Context "other" works in namespace "b" now.\n');
  expect(await ns("-c")).toEqual(out("default\n"));
  expect(await ns("-")).toEqual(failed(`error: no namespace was in use before in context "${context()}"\n`));
  expect((await ns("- --context=other")).stdout).toBe('Context "other" works in namespace "a" now.\n');
});

describe("ns refuses", () => {
  test.each([
    ["a b", usage("expected at most 1 argument, got 2")],
    ["-c a", usage("--current stands alone")],
    ["-f", usage("--force needs a namespace")],
    ["- -f", usage("--force needs a namespace")],
    ["a -n b", usage("--namespace is for one command: name the namespace to switch to without it")],
    ["x --context=nope -f", failed('error: no context exists with the name: "nope"\n')],
  ])("the command line: ns %s", async (line, result) => {
    expect(await ns(line)).toEqual(result);
  });

  test("a name that is not a valid namespace, with --force too", async () => {
    const { code, stderr } = await ns("a/../b --force");
    expect([code, stderr]).toEqual([1, expect.stringContaining('"a/../b" is not a valid namespace name: a lowercase')]);
  });

  test("a kubeconfig without a current context", async () => {
    writeFileSync(env["KUBECONFIG"] ?? "", "");
    expect(await ns("-c")).toEqual(failed("error: no context is the current one: switch to one with ctx NAME first\n"));
  });
});

test("ns on a terminal lets the user pick a namespace", async () => {
  const { terminal, ended } = startOnTerminal(["ns"], { cwd: session.folder, env });
  await terminal.shows("> default (current)");
  terminal.press("sta");
  await terminal.shows("namespace: sta\n> stage\n1/6");
  terminal.press("\r");
  expect(await ended).toBe(0);
  expect(terminal.screen.text).toBe(`${works("stage").stdout}|`);
  expect(terminal.raw).toEqual([true, false]);
});

test("ns restores the terminal when a signal comes while the user picks", async () => {
  const { terminal, ended, interrupt } = startOnTerminal(["ns"], { cwd: session.folder, env });
  await terminal.shows("> default (current)");
  interrupt();
  expect(await ended).toBe(130);
  expect(terminal.raw).toEqual([true, false]);
  expect(terminal.screen.isAlternate).toBe(false);
});

test("completion of ns suggests namespaces for the first argument", async () => {
  const complete = async (...words: string[]): Promise<readonly string[]> => {
    const { stdout } = await runCli(["__completeNoDesc", "ns", ...words], { cwd: session.folder, env });
    return stdout.split("\n").slice(0, -2);
  };
  expect(await complete("s")).toEqual(["shop", "stage"]);
  expect(await complete("shop", "")).toEqual([]);
});
