import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startOnTerminal } from "../../helpers/driven-terminal.js";
import { type CliResult, type CliSurroundings, runCli } from "../../helpers/run-cli.js";

let folder: string;

const configOf = (names: readonly string[], current = ""): string =>
  JSON.stringify({
    "current-context": current,
    clusters: [{ name: "one", cluster: { server: "https://127.0.0.1:1" } }],
    contexts: names.map((name) => ({ name, context: { cluster: "one", user: "" } })),
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-ctx-"));
  writeFileSync(join(folder, "config"), configOf(["prod", "dev", "a=b"], "prod"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const env = (kubeconfig: string) => ({ HOME: folder, KUBECONFIG: kubeconfig });

const ctx = (line: string, kubeconfig = "config", more: CliSurroundings = {}): Promise<CliResult> =>
  runCli(["ctx", ...line.split(" ").filter(Boolean)], {
    cwd: folder,
    env: env(kubeconfig),
    program: "kubets",
    ...more,
  });

const out = (stdout: string): CliResult => ({ code: 0, stdout, stderr: "" });
const failed = (stderr: string): CliResult => ({ code: 1, stdout: "", stderr });
const usage = (message: string): CliResult => failed(`error: ${message}\nSee 'kubets ctx -h' for help and examples\n`);
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

describe("the command ctx in a pipe", () => {
  test("lists the names of contexts alphabetically without arguments", async () => {
    expect(await ctx("")).toEqual(out("a=b\ndev\nprod\n"));
  });

  test("prints the current context with -c", async () => {
    expect(await ctx("-c")).toEqual(out("prod\n"));
    expect(await ctx("--current")).toEqual(out("prod\n"));
  });

  test("switches to the named context, and with - to the previous one", async () => {
    expect(await ctx("dev")).toEqual(out('Switched to context "dev".\n'));
    expect(await ctx("-c")).toEqual(out("dev\n"));
    expect(await ctx("-")).toEqual(out('Switched to context "prod".\n'));
    expect(await ctx("-")).toEqual(out('Switched to context "dev".\n'));
  });

  test("keeps the previous context when it switches to the current one", async () => {
    await ctx("dev");
    await ctx("dev");
    expect(await ctx("-")).toEqual(out('Switched to context "prod".\n'));
  });

  test("keeps a previous context for each list of kubeconfig files", async () => {
    writeFileSync(join(folder, "other"), configOf(["x", "y"], "x"));
    await ctx("dev");
    expect(await ctx("-", "other")).toEqual(
      failed("error: no context was in use before, as far as ctx has switched them\n"),
    );
    await ctx("y", "other");
    expect(await ctx("-", "other")).toEqual(out('Switched to context "x".\n'));
    expect(await ctx("-")).toEqual(out('Switched to context "prod".\n'));
  });

  test("renames with NEW=OLD, where . is the current context; the previous context follows its new name", async () => {
    await ctx("dev");
    expect(await ctx("live=prod")).toEqual(out('Context "prod" renamed to "live".\n'));
    expect(await ctx("test=.")).toEqual(out('Context "dev" renamed to "test".\n'));
    expect(await ctx("-c")).toEqual(out("test\n"));
    expect(await ctx("-")).toEqual(out('Switched to context "live".\n'));
  });

  test("takes a name that holds = as a name when a context has it, on either side", async () => {
    expect(await ctx("a=b")).toEqual(out('Switched to context "a=b".\n'));
    expect(await ctx("c=a=b")).toEqual(out('Context "a=b" renamed to "c".\n'));
    expect(await ctx("d=e=c")).toEqual(out('Context "c" renamed to "d=e".\n'));
  });

  test("deletes contexts with -d, where . is the current one, and prints that none is current then", async () => {
    expect(await ctx("-d dev .")).toEqual({
      code: 0,
      stdout: 'Deleted context "dev".\nDeleted context "prod".\n',
      stderr: 'Warning: "prod" was the current context, switch to another one\n',
    });
    expect(await ctx("")).toEqual(out("a=b\n"));
    expect(read("config")).toContain("https://127.0.0.1:1");
  });

  test("deletes nothing with -d when one of the contexts does not exist", async () => {
    const before = read("config");
    expect(await ctx("-d dev nope")).toEqual(failed('error: no context was deleted: "nope" not in config\n'));
    expect(read("config")).toBe(before);
  });

  test("leaves no current context with -u, whichever files set one", async () => {
    writeFileSync(join(folder, "other"), configOf(["x"], "x"));
    expect(await ctx("-u", "config:other")).toEqual(out("No context is the current one now.\n"));
    expect(await ctx("-c", "config:other")).toEqual(failed("error: no context is the current one\n"));
  });
});

describe("ctx fails, or warns, for", () => {
  test.each([
    ["nope", failed('error: no context exists with the name: "nope"\n')],
    ["dev=prod", failed('error: cannot rename the context "prod", the context "dev" already exists in config\n')],
    ["new=nope", failed('error: cannot rename the context "nope", it\'s not in config\n')],
    ["=prod", failed("error: a context is renamed by NEW_NAME=NAME: neither can be empty\n")],
    ["dev prod", usage("expected at most 1 argument(s), got 2")],
    ["-c dev", usage("expected at most 0 argument(s), got 1")],
    ["-c -u", usage("--current and --unset cannot be used together")],
    ["-d", usage("--delete needs the names of contexts")],
    ["dev --context=prod", usage("--context is for one command: name the context to switch to without it")],
  ])("the command line: ctx %s", async (line, result) => {
    const before = read("config");
    expect(await ctx(line)).toEqual(result);
    expect(read("config")).toBe(before);
  });

  test("a kubeconfig without contexts, or no kubeconfig at all", async () => {
    writeFileSync(join(folder, "empty"), "");
    expect(await ctx("", "empty")).toEqual({ code: 0, stdout: "", stderr: "There are no contexts in empty\n" });
    expect(await ctx("", "missing")).toEqual({ code: 0, stdout: "", stderr: "There are no contexts in missing\n" });
    expect(await ctx("x", "missing")).toEqual(failed('error: no context exists with the name: "x"\n'));
    expect(existsSync(join(folder, "missing"))).toBe(false);
  });

  test("a file that cannot be written, and changes nothing", async () => {
    writeFileSync(join(folder, "config.lock"), "");
    expect(await ctx("dev")).toEqual(failed("error: open config.lock: file exists\n"));
    rmSync(join(folder, "config.lock"));
    expect(await ctx("-c")).toEqual(out("prod\n"));
    expect(existsSync(join(folder, ".kube"))).toBe(false);
  });

  test("a previous context that cannot be stored: it switches, with a warning", async () => {
    mkdirSync(join(folder, ".kube"));
    writeFileSync(join(folder, ".kube", "cache"), "a file");
    const { code, stdout, stderr } = await ctx("dev");
    expect([code, stdout]).toEqual([0, 'Switched to context "dev".\n']);
    expect(stderr).toMatch(/^Warning: "-" will not lead back: .*\n$/);
  });

  test("a damaged file of previous contexts, which counts as empty", async () => {
    await ctx("dev");
    const kept = join(folder, ".kube", "cache", "choices");
    const [name = ""] = readdirSync(kept);
    for (const text of ["{", "[]", '{"context":1,"namespaces":[2]}', '{"context":"gone"}']) {
      writeFileSync(join(kept, name), text);
      expect((await ctx("-")).code).toBe(1);
    }
    expect(await ctx("prod")).toEqual(out('Switched to context "prod".\n'));
  });
});

test("ctx writes a renamed context to the file that has it, and a new current context to the first file", async () => {
  writeFileSync(join(folder, "other"), configOf(["x", "y"], "x"));
  const files = "missing:config:other";
  const [first, second] = [read("config"), read("other")];
  await ctx("y2=y", files);
  expect(read("config")).toBe(first);
  expect(read("other")).toContain("name: y2");
  const renamed = read("other");
  await ctx("y2", files);
  expect(read("other")).toBe(renamed);
  expect(read("config")).toContain("current-context: y2");
  await ctx("-d y2 dev", files);
  expect(read("other")).not.toContain("y2");
  expect(read("config")).not.toContain("name: dev");
  expect(second).toContain("y");
  expect(existsSync(join(folder, "missing"))).toBe(false);
});

describe("the command ctx on a terminal", () => {
  const open = (line: string, more: { readonly env?: Record<string, string>; readonly columns?: number } = {}) =>
    startOnTerminal(["ctx", ...line.split(" ").filter(Boolean)], {
      cwd: folder,
      ...more,
      env: { ...env("config"), ...more.env },
    });

  test("lets the user pick a context without arguments, and switches to it", async () => {
    const { terminal, ended } = open("");
    await terminal.shows("> prod (current)");
    terminal.press("\u001b[A");
    await terminal.shows("> dev");
    terminal.press("\r");
    expect(await ended).toBe(0);
    expect(terminal.screen.text).toBe('Switched to context "dev".\n|');
    expect(terminal.raw).toEqual([true, false]);
    expect(await ctx("-")).toEqual(out('Switched to context "prod".\n'));
  });

  test.each([
    ["Escape", "\u001b", 1, ""],
    ["Ctrl-C", "\u0003", 130, ""],
    ["Ctrl-D", "\u0004", 1, "error: no context was picked: the input has ended\n"],
  ])("changes nothing when %s ends the choice", async (_what, keys, code, stderr) => {
    const before = read("config");
    const { terminal, ended } = open("");
    await terminal.shows("> prod");
    terminal.press(keys);
    expect(await ended).toBe(code);
    expect([terminal.stderr, terminal.screen.text, read("config")]).toEqual([stderr, "|", before]);
    expect(terminal.raw).toEqual([true, false]);
  });

  test("lists the contexts with the current one marked when the terminal cannot draw or has no keys", async () => {
    const { terminal, ended } = open("", { env: { TERM: "dumb" } });
    expect(await ended).toBe(0);
    expect(terminal.screen.text).toBe("a=b\ndev\nprod (current)\n|");
    expect(terminal.raw).toEqual([]);
    const colours = { env: { ...env("config"), FORCE_COLOR: "1" }, terminal: true };
    expect((await ctx("", "config", colours)).stdout).toBe("a=b\ndev\n\u001b[32mprod\u001b[39m\n");
  });

  test("escapes control characters in names, each on one line", async () => {
    const hostile = "red\u001b[31m\nsecond";
    writeFileSync(join(folder, "config"), configOf(["plain", hostile], hostile));
    const { terminal, ended } = open("", { env: { TERM: "dumb" } });
    expect(await ended).toBe(0);
    expect(terminal.screen.text).toBe("plain\nred^[[31m\\nsecond (current)\n|");
    const picking = open("");
    await picking.terminal.shows("> red^[[31m\\nsecond (current)");
    picking.terminal.press("\r");
    expect(await picking.ended).toBe(0);
    expect(picking.terminal.written).not.toContain("\u001b[31m");
  });

  test("writes only ASCII without UTF-8", async () => {
    writeFileSync(join(folder, "config"), configOf(["müller", "x".repeat(100)], "müller"));
    const { terminal, ended } = open("", { env: { LANG: "C" }, columns: 20 });
    await terminal.shows(/^context:\n> m\?ller \(current\)\n {2}x{16}~\n/);
    terminal.press("\u001b");
    await ended;
    expect(terminal.written).toMatch(/^[\0-\x7f]*$/);
  });

  test("suggests the similar name for a mistyped one", async () => {
    const { stderr } = await ctx("prd", "config", { terminal: true });
    expect(stderr).toContain('Did you mean "prod"?');
  });
});

test("completion of ctx suggests contexts for the first argument, and further ones for --delete", async () => {
  mkdirSync(join(folder, "empty"));
  const complete = async (...words: string[]): Promise<readonly string[]> => {
    const { stdout } = await runCli(["__completeNoDesc", "ctx", ...words], { cwd: folder, env: env("config") });
    return stdout.split("\n").slice(0, -2);
  };
  expect(await complete("")).toEqual(["a=b", "dev", "prod"]);
  expect(await complete("p")).toEqual(["prod"]);
  expect(await complete("dev", "")).toEqual([]);
  expect(await complete("-d", "dev", "")).toEqual(["a=b", "prod"]);
});
