// The packages of a release, as users get them: published to a registry, installed in empty prefixes, tried without the checkout,
// and uninstalled.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { buildExecutables, executableOf, ownTarget } from "../../tools/executable/build.mjs";
// @ts-expect-error plain JavaScript
import { describeExecutable } from "../../tools/executable/describe.mjs";
// @ts-expect-error plain JavaScript
import { KUBETS_LIMIT } from "../../tools/release/limits.mjs";
// @ts-expect-error plain JavaScript
import { packCreate, packExecutable, packKubets, packNative, packPayload } from "../../tools/release/packages.mjs";
import { fetchVerdaccio, type LocalRegistry, startRegistry } from "./local-registry.js";
import { nodes } from "./nodes.js";

const root = join(import.meta.dirname, "../..");
const KUBETS = "kubets";
const NATIVE = "@kubets/native";
const EXECUTABLE = `@kubets/${ownTarget}`;
const REGISTRY_MINUTES = 5 * 60_000;

const missing = await whatIsMissing();
if (missing !== undefined) process.stdout.write(`tests of the release's packages are skipped: ${missing}\n`);

/** Why the packages cannot be made and published here. */
async function whatIsMissing(): Promise<string | undefined> {
  if (!existsSync(join(root, "dist/metafile.json"))) return "dist/ is not built; run npm run build";
  try {
    fetchVerdaccio();
  } catch (error) {
    return `npm cannot fetch verdaccio: ${(error as Error).message}`;
  }
  if (existsSync(executableOf(ownTarget))) return undefined;
  let failure: string | undefined;
  await buildExecutables([ownTarget], (_: string, error: Error) => (failure = error.message));
  return failure === undefined ? undefined : `the executable cannot be built: ${failure}`;
}

// On Windows npm links no commands, and nothing of it is claimed there.
describe.skipIf(missing !== undefined || process.platform === "win32")("the npm packages of a release", () => {
  let registry: LocalRegistry;
  let tarballs: string;
  let packed: { readonly file: string; readonly unpacked: number; readonly nodes: readonly string[] };
  /** An empty prefix and home. */
  let folder: string;
  let prefix: string;

  beforeAll(async () => {
    tarballs = mkdtempSync(join(tmpdir(), "kubets-tarballs-"));
    registry = await startRegistry(fetchVerdaccio());
    // The largest first: npm publishes one while the next is packed.
    const published: Promise<unknown>[] = [];
    const publish = ({ file }: { readonly file: string }) => published.push(registry.publish(file));
    const executable = executableOf(ownTarget);
    publish(packExecutable(ownTarget, executable, tarballs));
    publish(packPayload(ownTarget, executable, tarballs));
    const missed = (what: string, error: Error) => process.stdout.write(`${what}: ${error.message}\n`);
    packed = packKubets(tarballs, missed);
    publish(packed);
    // npm reads the manifest of another platform's package, and does not install it.
    const other = ownTarget === "darwin-arm64" ? "linux-arm64" : "darwin-arm64";
    const placeholder = join(tarballs, "kubets");
    writeFileSync(placeholder, "an executable for another platform\n");
    publish(packPayload(other, placeholder, tarballs));
    publish(packNative([ownTarget, other], tarballs));
    publish(packCreate(tarballs));
    await Promise.all(published);
  }, REGISTRY_MINUTES);
  afterAll(async () => {
    await registry?.stop();
    rmSync(tarballs, { recursive: true, force: true });
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-prefix-"));
    prefix = join(folder, "prefix");
    mkdirSync(join(folder, "home"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const npm = (...words: string[]) => registry.npm([...words, "--prefix", prefix]);
  const install = (...words: string[]) => npm("install", "--global", ...words);
  const uninstall = (name: string) => npm("uninstall", "--global", name);
  const command = (): string => join(prefix, "bin/kubets");
  const emptyProject = (): string => {
    const project = join(folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "shop", private: true }));
    return project;
  };
  /** All files and links below the prefix. */
  const files = (): string[] =>
    readdirSync(prefix, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));

  /** A PATH with the command, a few programs and, where one is given, a Node. */
  const path = (node?: string): string => {
    const tools = mkdtempSync(join(folder, "tools-"));
    for (const tool of ["bash", "sh", "cat"]) symlinkSync(realpathSync(`/bin/${tool}`), join(tools, tool));
    if (node !== undefined) symlinkSync(node, join(tools, "node"));
    return `${join(prefix, "bin")}:${tools}`;
  };
  const run = (PATH: string, ...words: string[]) => {
    const surroundings = {
      cwd: join(folder, "home"),
      env: { PATH, HOME: join(folder, "home") },
      encoding: "utf8",
    } as const;
    const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", '"$@"', "bash", ...words], surroundings);
    return { code: status, stdout, stderr };
  };

  /** What a new user tries first: the version, a manifest in a cluster for one command, completion in bash. */
  const tryOut = (node?: string): void => {
    const search = path(node);
    expect(run(search, "kubets", "version", "--client")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Client Version: v1\.37\.\d+\nKustomize Version: /),
      stderr: "",
    });
    const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {open: always}\n";
    writeFileSync(join(folder, "home/shop.yaml"), manifest);
    const inCluster = ["kubets", "cluster", "run", "--", "kubets", "apply", "-f", "shop.yaml"];
    expect(run(search, ...inCluster)).toEqual({ code: 0, stdout: "configmap/shop created\n", stderr: "" });
    expect(run(search, "bash", "--norc", "-c", COMPLETE)).toEqual({ code: 0, stdout: "rollout run\n", stderr: "" });
  };

  test("`npm create kubets` begins an operator with the kubets of the same version, and takes `operator` for granted", () => {
    const cwd = join(folder, "home");
    const flags = ["--group=example.com", "--kind=Shelf"];
    const { code, stdout, stderr } = registry.npm(["create", "--yes", "kubets", "library", "--", ...flags], { cwd });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("is in library. Next:");
    const manifest = JSON.parse(readFileSync(join(cwd, "library/package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      name: "library",
      dependencies: { kubets: expect.stringMatching(/^\^\d/) as string },
    });
  });

  test("kubets is small, and its code caches are those of the pinned versions of Node that can be had", () => {
    expect(packed.unpacked).toBeLessThanOrEqual(KUBETS_LIMIT);
    expect(packed.nodes.map((version) => `Node ${version}`)).toEqual(nodes.map(([name]) => name));
  });

  test.each(nodes)("kubets works on %s, and uses the code that V8 has compiled before", (_, node) => {
    expect(install(KUBETS)).toMatchObject({ code: 0 });
    tryOut(node);
    const cli = join(prefix, "lib/node_modules/kubets/dist/cli");
    writeFileSync(join(folder, "rejected.cjs"), REJECTED);
    const { stdout, stderr } = spawnSync(node, [join(folder, "rejected.cjs"), cli], { encoding: "utf8" });
    expect(stderr).toBe("");
    const { accepted, rejected } = JSON.parse(stdout) as Record<string, string[]>;
    expect(accepted).toContain("main.cjs");
    expect(rejected).toEqual([]);
  });

  test(`${EXECUTABLE} installs the executable as command, which needs no Node`, () => {
    expect(install(EXECUTABLE)).toMatchObject({ code: 0 });
    expect(describeExecutable(realpathSync(command()))).toEqual(describeExecutable(process.execPath));
    tryOut();
  });

  test(`${NATIVE} installs the executable of this platform once, which needs no Node`, () => {
    expect(install(NATIVE)).toMatchObject({ code: 0 });
    const payloads = join(prefix, "lib/node_modules/@kubets/native/node_modules/@kubets");
    expect(readdirSync(payloads)).toEqual([`native-${ownTarget}`]);
    const [own, payload] = [command(), join(payloads, `native-${ownTarget}`, "kubets")].map((file) => statSync(file));
    expect(own?.ino).toBe(payload?.ino);
    tryOut();
  });

  test.each(nodes)(`${NATIVE} with --ignore-scripts installs a shim that works on %s`, (_, node) => {
    expect(install(NATIVE, "--ignore-scripts")).toMatchObject({ code: 0 });
    expect(readFileSync(command(), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    tryOut(node);
  });

  test.each([[KUBETS], [NATIVE], [NATIVE, "--ignore-scripts"], [EXECUTABLE]])(
    "npm refuses every other package beside %s, and leaves nothing of the refused one at its removal",
    (first, ...options) => {
      expect(install(first, ...options)).toMatchObject({ code: 0 });
      const before = files();
      for (const second of [KUBETS, NATIVE, EXECUTABLE].filter((name) => name !== first)) {
        const { code, stderr } = install(second, ...options);
        expect(code).not.toBe(0);
        expect(stderr).toContain(`npm error code EEXIST\nnpm error path ${command()}\n`);
        expect(files()).toEqual(before);
      }
      expect(run(path(process.execPath), "kubets", "version", "--client")).toMatchObject({ code: 0, stderr: "" });
      expect(uninstall(first)).toMatchObject({ code: 0 });
      expect(files()).toEqual([]);
    },
  );

  test("each package can replace each other one that was uninstalled before", () => {
    const ignoring = "--ignore-scripts";
    const sequence = [
      [KUBETS],
      [NATIVE],
      [EXECUTABLE],
      [KUBETS, ignoring],
      [EXECUTABLE, ignoring],
      [NATIVE, ignoring],
      [KUBETS],
    ];
    for (const [name = "", ...options] of sequence) {
      expect(install(name, ...options)).toMatchObject({ code: 0 });
      expect(run(path(process.execPath), "kubets", "version", "--client")).toMatchObject({ code: 0, stderr: "" });
      expect(uninstall(name)).toMatchObject({ code: 0 });
    }
    expect(files()).toEqual([]);
  });

  test.each([[KUBETS], [NATIVE], [EXECUTABLE]])(
    "in a project, only one of the packages that come with %s has a command",
    (name) => {
      const project = join(folder, "project");
      mkdirSync(project);
      writeFileSync(join(project, "package.json"), JSON.stringify({ name: "shop", private: true }));
      expect(registry.npm(["install", name], { cwd: project })).toMatchObject({ code: 0 });
      const manifests = readdirSync(join(project, "node_modules"), { recursive: true, encoding: "utf8" })
        .filter((file) => basename(file) === "package.json")
        .map(
          (file) =>
            JSON.parse(readFileSync(join(project, "node_modules", file), "utf8")) as { name?: string; bin?: object },
        );
      expect(manifests.filter(({ bin }) => bin !== undefined).map((manifest) => manifest.name)).toEqual([name]);
      const { code, stdout } = registry.npm(["exec", "--no", "--", "kubets", "version", "--client"], { cwd: project });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Client Version: v1\.37/) });
    },
  );

  test(`${NATIVE} without its optional dependency makes npm fail, and the error names ${KUBETS}`, () => {
    const project = emptyProject();
    const { code, stderr } = registry.npm(["install", "--omit=optional", NATIVE], { cwd: project });
    expect(code).toBe(1);
    expect(stderr).toContain(`the package @kubets/native-${ownTarget}, which holds the executable, is not installed`);
    expect(stderr).toContain("npm install -g kubets");
    expect(existsSync(join(project, "node_modules/@kubets"))).toBe(false);
  });

  test("on a platform without an executable npm and the shim fail, and the error names kubets", () => {
    writeFileSync(join(folder, "s390x.cjs"), 'Object.defineProperty(process, "arch", { value: "s390x" });\n');
    const env = { NODE_OPTIONS: `--require=${join(folder, "s390x.cjs")}` };
    const words = ["install", "--global", "--prefix", prefix, NATIVE];
    const refused = registry.npm(words, { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("npm install -g kubets") });
    expect(refused.stderr).toContain("@kubets/native has no executable for linux-s390x");
    expect(registry.npm([...words, "--ignore-scripts"], { env })).toMatchObject({ code: 0 });
    const shim = spawnSync(process.execPath, [command()], { env, encoding: "utf8" });
    expect(shim).toMatchObject({ status: 1, stderr: expect.stringContaining("npm install -g kubets\n") });
  });

  test("no file of the packages contains the path of the build folder", () => {
    for (const name of [KUBETS, EXECUTABLE]) {
      expect(install(name)).toMatchObject({ code: 0 });
      const naming = files().filter((file) => readFileSync(file).includes(root));
      expect(naming).toEqual([]);
      uninstall(name);
    }
  });
});

/** Completes "kubets r" as bash does at a tab, and prints what begins with "ro" or "ru". */
const COMPLETE = `
source <(kubets completion bash)
complete -p kubets >/dev/null || exit 1
COMP_LINE="kubets r" COMP_POINT=8 COMP_CWORD=1
COMP_WORDS=(kubets r)
__start_kubets
for name in "\${COMPREPLY[@]}"; do
  case $name in ro*|ru*) words+=("\${name%% *}");; esac
done
echo "\${words[@]}"
`;

/** Prints which cached files this Node takes and which it rejects. */
const REJECTED = `
const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");
const cli = process.argv[2];
const { CachedRequire } = require(join(cli, "../../bin/cached-require.js"));
const cached = new CachedRequire(cli);
const result = { accepted: [], rejected: [] };
for (const name of readdirSync(cached.cacheFolder)) {
  const script = new Script(
    "(function (exports, require, module, __filename, __dirname) {" + readFileSync(join(cli, name), "utf8") + "\\n})",
    { filename: join(cli, name), cachedData: readFileSync(join(cached.cacheFolder, name)) },
  );
  result[script.cachedDataRejected ? "rejected" : "accepted"].push(name);
}
process.stdout.write(JSON.stringify(result));
`;
