import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { archivePrefix } from "../../../src/actions/copy/remote-text.js";
import { parseFileSpec } from "../../../src/commands/cp/cp.js";
import { type LocalKubelet, startLocalKubelet } from "../../helpers/local-kubelet.js";
import { realTool } from "../../helpers/real-tools.js";
import { type CliResult, type CliSurroundings, runCli } from "../../helpers/run-cli.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`cp beside kubectl is skipped: ${missing}\n`);

let root: string;
/** What the containers have: their paths below it are relative, because the programs run there. */
let remote: string;
let kubelet: LocalKubelet;
let kubectl: RealKubectl;
let limit: { readonly bytes: number; readonly broken: "end" | "cut" } | undefined;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "kubets-cp-"));
  remote = join(root, "remote");
  mkdirSync(join(remote, "tree/sub/empty"), { recursive: true });
  writeFileSync(join(remote, "tree/a.txt"), "a\n");
  writeFileSync(join(remote, "tree/sub/b [1].txt"), "b\n");
  writeFileSync(join(remote, "it's"), "quoted\n");
  writeFileSync(join(remote, "binary"), Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251)));
  mkdirSync(join(remote, "links"));
  symlinkSync("/etc/passwd", join(remote, "links/one"));
  symlinkSync("../tree", join(remote, "links/two"));
  writeFileSync(join(remote, "links/file"), "file\n");
  mkdirSync(join(remote, "into"));
  kubelet = await startLocalKubelet({
    folder: remote,
    limit: (command) => {
      const limited =
        command.includes("tar") || command[0] === "cat" || command[2]?.startsWith("tar") === true ? limit : undefined;
      if (limited !== undefined) limit = undefined;
      return limited;
    },
  });
  await kubelet.pod("web");
  await kubelet.pod("several", { containers: [{ name: "first" }, { name: "second" }] });
  await kubelet.pod("ended", { phase: "Succeeded" });
  kubectl = await realKubectl(kubelet.cluster);
  mkdirSync(join(kubectl.folder, "up/deep/er"), { recursive: true });
  mkdirSync(join(kubectl.folder, "up/none"));
  writeFileSync(join(kubectl.folder, "up/x"), "x\n");
  writeFileSync(join(kubectl.folder, "up/deep/er/größe"), "y\n");
  writeFileSync(join(kubectl.folder, `up/deep/${"n".repeat(120)}`), "long\n");
  symlinkSync("x", join(kubectl.folder, "up/link"));
  chmodSync(join(kubectl.folder, "up/x"), 0o751);
  writeFileSync(join(kubectl.folder, "one"), "one\n");
});

afterAll(async () => {
  await kubectl[Symbol.asyncDispose]();
  await kubelet[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

beforeEach(() => {
  limit = undefined;
  clean();
});

function clean(): void {
  rmSync(join(kubectl.folder, "down"), { recursive: true, force: true });
  rmSync(join(kubectl.folder, "new"), { recursive: true, force: true });
  rmSync(join(remote, "into"), { recursive: true, force: true });
  mkdirSync(join(remote, "into"));
  mkdirSync(join(kubectl.folder, "down"));
}

const cp = (args: readonly string[], more: CliSurroundings = {}): Promise<CliResult> =>
  runCli(["cp", ...args], {
    cwd: kubectl.folder,
    env: { HOME: kubectl.folder, KUBECONFIG: join(kubectl.folder, "kubeconfig") },
    ...more,
  });

const inFolder = (path: string): string => join(kubectl.folder, path);

/** Everything below a folder: names, types, modes, contents. */
const listing = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const found = lstatSync(path);
      const mode = (found.mode & 0o7777).toString(8);
      if (found.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      if (!found.isFile()) return `${name}/ ${mode}`;
      return `${name} ${mode} ${createHash("sha1").update(readFileSync(path)).digest("hex")}`;
    });

describe("kubets cp prints and copies the same as kubectl cp", () => {
  const lines: readonly (readonly string[])[] = [
    [],
    ["one"],
    ["one", "two"],
    [":one", "two"],
    ["web:one", "several:two"],
    ["web:", "two"],
    ["one", "web:"],
    ["a/b/c:x", "down"],
    ["nowhere", "web:x"],
    ["none:x", "down/x"],
    ["one", "none:x"],
    ["other/web:x", "down/x"],
    ["ended:x", "down/x"],
    ["several:tree", "down/x", "-c", "third"],
    ["one", "several:into/x", "-c", "third"],
    ["one", "web:into/x", "--retries=many"],
    ["web:tree", "down/tree"],
    ["web:tree/", "down/tree/"],
    ["web:./tree", "down/tree"],
    ["web:tree/a.txt", "down/a"],
    ["web:tree/a.txt", "down"],
    ["web:binary", "down/binary"],
    ["several:tree", "down/tree"],
    ["several:tree", "down/tree", "-c", "second"],
    ["web:links", "down/links"],
    ["-n", "default", "default/web:links", "down/links"],
    ["web:tree", "down/tree", "--retries=3"],
    ["web:it's", "down/its", "--retries=-1"],
    ["web:tree", "one/below"],
    ["web:binary", "/dev/full"],
    ["web:tree/a.txt", "new/folder/a"],
    ["one", "web:into"],
    ["one", "web:into/two"],
    ["one", "web:no/such/folder"],
    ["up", "web:into"],
    ["up", "web:into/renamed"],
    ["./up/../up", "web:into"],
    [".", "web:into"],
    ["up/none", "web:into/empty"],
    ["up/link", "web:into"],
    ["up", "web:into", "--no-preserve"],
    ["up", "several:into"],
  ];

  it.skipIf(missing !== undefined).each(lines.map((line) => [line.join(" "), line] as const))(
    "for the command line: cp %s",
    async (_name, line) => {
      // A copy of all there is here would take its own outcome with it.
      const theirs = await outcome(() => kubectl.run(["cp", ...line]));
      clean();
      const ours = await outcome(() => cp(line));
      expect(ours).toEqual(theirs);
    },
  );

  async function outcome(
    run: () => Promise<{ code: number | null; stdout: string; stderr: string }>,
  ): Promise<unknown> {
    kubelet.commands.length = 0;
    const { code, stdout, stderr } = await run();
    return {
      code,
      stdout,
      stderr: stderr.replaceAll(/0x[0-9a-f]+/g, "POINTER"),
      commands: [...kubelet.commands],
      down: listing(inFolder("down")),
      into: listing(join(remote, "into")).filter((line) => !line.includes(".kube")),
    };
  }
});

describe("a copy of which kubectl loses parts without an error", () => {
  it("fails with the container's exit code for a missing file, at any timing", async () => {
    const { code, stdout, stderr } = await cp(["web:nowhere", "down/x"]);
    expect(stderr).toBe("command terminated with exit code 2\n");
    expect(stdout).toContain("tar: nowhere: Cannot stat: No such file or directory\n");
    expect(code).toBe(2);
  });

  it("fails for a truncated archive", async () => {
    limit = { bytes: 1024, broken: "end" };
    const { code, stdout, stderr } = await cp(["web:binary", "down/x"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "Dropping out copy after 0 retries\n",
      stderr: "error: unexpected EOF\n",
    });
  });

  it.each(["end", "cut"] as const)("continues with --retries where the output broke off: %s", async (broken) => {
    limit = { bytes: 100_000, broken };
    const { code, stdout, stderr } = await cp(["web:binary", "down/x", "--retries=2"]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^Resuming copy at \d+ bytes, retry 1\/2\n$/);
    expect(code).toBe(0);
    expect(readFileSync(inFolder("down/x")).equals(readFileSync(join(remote, "binary")))).toBe(true);
  });

  it("fails at last with the error when all --retries fail", async () => {
    limit = { bytes: 0, broken: "end" };
    const { code, stdout, stderr } = await cp(["web:nowhere", "down/x", "--retries=1"]);
    expect(stdout).toMatch(/^Resuming copy at 0 bytes, retry 1\/1\ntar: nowhere: Cannot stat: No such/);
    expect(stderr).toBe("error: nowhere was not found in the container\n");
    expect({ code, there: existsSync(inFolder("down/x")) }).toEqual({ code: 1, there: false });
  });

  it("takes names in brackets as names, not as patterns", async () => {
    mkdirSync(inFolder("odd"));
    for (const name of ["a[1]", "a*", "ab", "back\\slash"]) writeFileSync(inFolder(`odd/${name}`), name);
    const { code, stderr } = await cp(["odd", "web:into"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(listing(join(remote, "into/odd"))).toEqual(listing(inFolder("odd")));
  });

  it("skips a named pipe and goes on", async () => {
    mkdirSync(inFolder("piped"));
    execFileSync("mkfifo", [inFolder("piped/p")]);
    writeFileSync(inFolder("piped/z"), "z");
    const { code, stderr } = await cp(["piped", "web:into"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'warning: skipping device or pipe: "piped/p"\n' });
    expect(existsSync(join(remote, "into/piped/z"))).toBe(true);
  });

  it("ends with the error of a local file that cannot be read", async () => {
    writeFileSync(inFolder("sock"), "");
    rmSync(inFolder("sock"));
    execFileSync("python3", [
      "-c",
      "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])",
      inFolder("sock"),
    ]);
    const { code, stderr } = await cp(["sock", "web:into"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "error: archive/tar: sockets not supported\n" });
  });
});

describe("cp on a terminal", () => {
  it("shows its progress, and removes that line at the end", async () => {
    const { code, stderr, stdout } = await cp(["web:binary", "down/x"], { terminal: true, clock: hurried() });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/Copying: down\/x [\d.]+ KiB of 293\.0 KiB/);
    expect(stderr.endsWith("\r\u001b[J")).toBe(true);
  });

  it("escapes control characters of the container", async () => {
    const { stdout } = await cp(["web:no\u001b[2Jwhere", "down/x"], { terminal: true });
    expect(stdout).toContain("tar: ");
    expect(stdout).not.toContain("\u001b");
  });

  /** A clock on which much time passes between two looks. */
  function hurried(): { now(): number } {
    let now = Date.now();
    return { now: () => (now += 200) };
  }
});

describe("cp of single files, without tar", () => {
  const SAME = { code: 0, stdout: "", stderr: "" };

  it("--no-tar copies a folder from a container, and warns of links", async () => {
    kubelet.commands.length = 0;
    expect(await cp(["web:tree", "down/tree", "--no-tar"])).toEqual(SAME);
    execFileSync("diff", ["-r", join(remote, "tree"), inFolder("down/tree")]);
    expect(await cp(["web:links", "down/links", "--no-tar"])).toEqual({
      ...SAME,
      stderr: 'warning: skipping symlink: "down/links/one"\nwarning: skipping symlink: "down/links/two"\n',
    });
    expect(readFileSync(inFolder("down/links/file"), "utf8")).toBe("file\n");
    expect(kubelet.commands.flat()).not.toContain("tar");
  });

  it("--no-tar copies a folder into a container, with permissions", async () => {
    const { code, stdout, stderr } = await cp(["up", "web:into/new/er", "--no-tar"]);
    expect({ code, stdout, stderr }).toEqual({ ...SAME, stderr: 'warning: skipping symlink: "up/link"\n' });
    const withoutLink = listing(inFolder("up")).filter((line) => !line.startsWith("link"));
    expect(listing(join(remote, "into/new/er"))).toEqual(withoutLink);
  });

  it.each(["web:nowhere", "web:tree/none"])("--no-tar reports a missing source: %s", async (source) => {
    const { code, stderr } = await cp([source, "down/x", "--no-tar"]);
    expect(stderr).toBe(`${source.slice(4)}: No such file or directory\ncommand terminated with exit code 1\n`);
    expect(code).toBe(1);
  });

  it.each([
    { what: "a part", local: (whole: Buffer) => whole.subarray(0, 100_000), ran: ["tail", "-c", "+100001", "binary"] },
    { what: "the whole", local: (whole: Buffer) => whole, ran: undefined },
    { what: "another file", local: () => Buffer.from("something else"), ran: ["cat", "binary"] },
    { what: "more", local: (whole: Buffer) => Buffer.concat([whole, whole]), ran: ["cat", "binary"] },
    { what: "nothing", local: () => Buffer.alloc(0), ran: ["cat", "binary"] },
  ])("--resume completes a copy from a container when there is $what", async ({ local, ran }) => {
    const whole = readFileSync(join(remote, "binary"));
    writeFileSync(inFolder("down/x"), local(whole));
    kubelet.commands.length = 0;
    expect(await cp(["web:binary", "down/x", "--resume"])).toEqual(SAME);
    expect(readFileSync(inFolder("down/x")).equals(whole)).toBe(true);
    expect(kubelet.commands.find(([file]) => file !== "sh")).toEqual(ran);
  });

  it.each([
    { what: "a part", there: (whole: Buffer) => whole.subarray(0, 100_000), append: true },
    { what: "another file", there: () => Buffer.from("something else"), append: false },
    { what: "more", there: (whole: Buffer) => Buffer.concat([whole, whole]), append: false },
    { what: "no file", there: undefined, append: false },
  ])("--resume completes a copy into a container when there is $what", async ({ there, append }) => {
    const whole = readFileSync(join(remote, "binary"));
    writeFileSync(inFolder("down/local"), whole);
    if (there !== undefined) writeFileSync(join(remote, "into/x"), there(whole));
    kubelet.commands.length = 0;
    expect(await cp(["down/local", "web:into/x", "--resume"])).toEqual(SAME);
    expect(readFileSync(join(remote, "into/x")).equals(whole)).toBe(true);
    expect(kubelet.commands.some(([, , script]) => script?.includes("cat >>"))).toBe(append);
  });

  it("--resume skips files that are already complete in a container", async () => {
    writeFileSync(join(remote, "into/one"), "one\n");
    kubelet.commands.length = 0;
    expect(await cp(["one", "web:into/one", "--resume"])).toEqual(SAME);
    expect(kubelet.commands.some(([, , script]) => script?.includes("cat >"))).toBe(false);
  });

  it("--resume continues after the connection broke", async () => {
    limit = { bytes: 120_000, broken: "cut" };
    expect((await cp(["web:binary", "down/x", "--no-tar"])).code).toBe(1);
    expect(await cp(["web:binary", "down/x", "--resume"])).toEqual(SAME);
    expect(readFileSync(inFolder("down/x")).equals(readFileSync(join(remote, "binary")))).toBe(true);
  });

  it("--resume does not follow links below the destination", async () => {
    symlinkSync(inFolder("one"), inFolder("down/a.txt"));
    const { code, stderr } = await cp(["web:tree", "down", "--resume"]);
    expect({ code, stderr: stderr.slice(0, 38) }).toEqual({
      code: 1,
      stderr: "error: down/a.txt is a symbolic link, ",
    });
  });

  it.each(["--no-tar", "--resume"])("%s cannot be combined with --retries", async (flag) => {
    const { stderr } = await cp(["web:tree", "down/x", flag, "--retries=1"]);
    expect(stderr).toBe("error: --retries goes with tar: it cannot be used with --no-tar or --resume\n");
  });
});

describe("the operands of cp", () => {
  it.each([
    [String.raw`C:\data`, "win32", { pod: "", path: String.raw`C:\data` }],
    ["C:/data", "win32", { pod: "", path: "C:/data" }],
    [String.raw`c:\data`, "win32", { pod: "", path: String.raw`c:\data` }],
    ["c:/data", "win32", { pod: "c", path: "/data" }],
    ["C:/data", "linux", { pod: "C", path: "/data" }],
    [String.raw`web:\data\x`, "win32", { pod: "web", path: "/data/x" }],
    ["ns/web:/data/", "linux", { pod: "web", namespace: "ns", path: "/data" }],
    ["/", "linux", { pod: "", path: "/" }],
  ] as const)("are parsed: %s on %s", (text, platform, spec) => {
    expect(parseFileSpec(text, platform)).toMatchObject(spec);
  });

  it.each([
    ["/data", "data"],
    ["./data/", "data"],
    ["../../data", "data"],
    ["/", ""],
    [".", ""],
    ["..", ""],
    ["a/../b", "b"],
  ])("decide the names in the archive: for %s they begin with %j", (path, prefix) => {
    expect(archivePrefix(path)).toBe(prefix);
  });
});
