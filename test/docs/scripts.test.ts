// Every whole script of README.md, CONTRIBUTING.md and docs/*.md runs without a failing command: those of a page in their order, in
// one home that was empty before.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LONGEST_TEST } from "../helpers/patience.js";
import { programIsBuilt } from "../helpers/program-under-test.js";
import { realTool } from "../helpers/real-tools.js";
import { type Block, documentBlocks, documentPages, placeOf } from "./markdown-blocks.js";
import { triedNodes } from "./tried-nodes.js";

const root = resolve(import.meta.dirname, "../..");
const blocks = documentBlocks();
const tools = (["kubectl", "helm"] as const).map((name) => ({ name, ...realTool(name) }));
/** Packages that npm has fetched on this machine: a clone is installed from them. */
const npmCache = process.env["npm_config_cache"] ?? join(homedir(), ".npm");
const cloneMissing = existsSync(join(root, ".git")) ? undefined : "this folder is no clone";

if (!programIsBuilt)
  process.stdout.write("the scripts of the docs are skipped: dist/ is not built; run npm run build\n");

const isScript = ({ kind }: Block): boolean => kind === "script" || kind === "clone script";
const blocksOfPage = (page: string): readonly Block[] => blocks.filter((block) => block.page === page);
const pages = documentPages().filter((page) => blocksOfPage(page).some(isScript));

describe.skipIf(!programIsBuilt).each(triedNodes)("on %s the shell scripts in the docs", (_, node) => {
  describe.each(pages)("%s", (page) => {
    let home: Home;
    let printed = "";

    beforeAll(() => {
      home = new Home(node);
    });
    afterAll(() => home?.remove());

    for (const block of blocksOfPage(page)) {
      if (block.kind === "output") {
        test(`print what the page shows: ${placeOf(block)}`, () => {
          expect(linesNotIn(block.text, printed), printed).toEqual([]);
        });
      }
      // A clone is built by the Node that runs the tests.
      if (!isScript(block) || (block.kind === "clone script" && node !== triedNodes[0]?.[1])) continue;
      const missing = missingFor(block);
      if (missing !== undefined) process.stdout.write(`${placeOf(block)} is skipped: ${missing}\n`);
      // npm installs all that the build needs, and builds with types.
      const timeout = block.kind === "script" ? LONGEST_TEST : 2 * LONGEST_TEST;
      test.skipIf(missing !== undefined)(placeOf(block), { timeout }, async ({ signal }) => {
        const folder = block.kind === "script" ? home.work : home.clone();
        const { code, output } = await home.run(block.text, folder, signal);
        printed = output;
        expect(code, output).toBe(0);
      });
    }
  });
});

/** Why a script cannot run here. */
function missingFor({ text, kind }: Block): string | undefined {
  if (kind === "clone script") return cloneMissing;
  return tools.find(({ name, missing }) => missing !== undefined && new RegExp(`\\b${name} `).test(text))?.missing;
}

/** What a new user has: an empty home, kubets of this build on PATH, kubectl and helm. */
class Home {
  readonly folder = mkdtempSync(join(tmpdir(), "kubets-docs-home-"));
  /** Where scripts run: it has the package's examples. */
  readonly work = join(this.folder, "work");
  #clone: string | undefined;

  constructor(node: string) {
    mkdirSync(join(this.folder, "bin"));
    symlinkSync(node, join(this.folder, "bin/node"));
    symlinkSync(join(root, "bin/kubets.js"), join(this.folder, "bin/kubets"));
    cpSync(join(root, "examples"), join(this.work, "examples"), { recursive: true });
  }

  /** A clone of the project as it is here, with changes that are not committed; on disk, because of the packages that it installs. */
  clone(): string {
    if (this.#clone !== undefined) return this.#clone;
    const folder = mkdtempSync(join(process.env["KUBETS_DISK_FOLDER"] ?? tmpdir(), "kubets-docs-clone-"));
    this.#clone = folder;
    const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
    for (const file of files.toString().split("\0")) {
      if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
    }
    return folder;
  }

  /** Runs a script in bash, which ends it at the first command that fails. `signal` ends it with all that it has started, but for clusters. */
  run(
    script: string,
    cwd: string,
    signal?: AbortSignal,
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const path = [
      join(this.folder, ".local/bin"),
      join(this.folder, "bin"),
      ...tools.filter(({ missing }) => missing === undefined).map((tool) => dirname(tool.path)),
      // npm
      dirname(process.execPath),
      "/usr/local/bin",
      "/usr/bin",
      "/bin",
    ];
    const child = spawn("bash", ["-e", "-u", "-o", "pipefail", "-c", script], {
      cwd,
      env: {
        HOME: this.folder,
        PATH: path.join(delimiter),
        LANG: "C.UTF-8",
        TMPDIR: tmpdir(),
        npm_config_prefix: join(this.folder, "prefix"),
        npm_config_cache: npmCache,
        npm_config_prefer_offline: "true",
        npm_config_update_notifier: "false",
      },
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own.
      detached: true,
    });
    signal?.addEventListener("abort", () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    return new Promise((done) => child.once("close", (code) => done({ code, output })));
  }

  /** Also ends the clusters that scripts have left. */
  async remove(): Promise<void> {
    const { output } = await this.run("kubets cluster list", this.work);
    const rows = output.split("\n").filter((line) => line.includes(" https://"));
    for (const row of rows) await this.run(`kubets cluster delete ${row.split(" ", 1)}`, this.work);
    for (const folder of [this.folder, this.#clone]) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** The lines of a text that an output does not have behind those before them. */
function linesNotIn(text: string, output: string): readonly string[] {
  const lines = output.split("\n");
  return text
    .trimEnd()
    .split("\n")
    .filter((wanted) => {
      const at = lines.findIndex((line) => fits(wanted, line));
      if (at >= 0) lines.splice(0, at + 1);
      return at < 0;
    });
}

/** Whether a line is the wanted one; `...` stands for any text. */
function fits(wanted: string, line: string): boolean {
  const [first = "", ...others] = wanted.split("...");
  const last = others.pop();
  if (last === undefined) return line === wanted;
  if (!line.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = line.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return line.length - last.length >= at && line.endsWith(last);
}
