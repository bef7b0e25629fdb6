// docs/api-servers.md runs as written, from the packed package in an empty folder.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePorts } from "../helpers/free-ports.js";
import { packageMissing, type PackedProject, packedProject } from "../helpers/packed-project.js";
import { LONGEST_TEST } from "../helpers/patience.js";
import { documentBlocks } from "./markdown-blocks.js";

if (packageMissing !== undefined) process.stdout.write(`docs/api-servers.md is skipped: ${packageMissing}\n`);

const blocks = documentBlocks().filter(({ page }) => page === "docs/api-servers.md");

describe.skipIf(packageMissing !== undefined)("docs/api-servers.md", () => {
  let project: PackedProject;

  beforeAll(() => {
    project = packedProject();
  });
  afterAll(async () => {
    await bash("npx kubets cluster delete main || true");
    project.remove();
  });

  /** Runs a script that ends at its first failing command. Resolves to its exit code and what it printed to both streams. */
  function bash(script: string): Promise<{ readonly code: number | null; readonly printed: string }> {
    const { folder } = project;
    const child = spawn("bash", ["-e", "-u", "-o", "pipefail", "-c", script], {
      cwd: folder,
      env: {
        HOME: folder,
        LANG: "C.UTF-8",
        TMPDIR: tmpdir(),
        PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    }
    return new Promise((resolve) => child.once("close", (code) => resolve({ code, printed })));
  }

  test("its steps lead from an empty folder to an aggregated API that answers", { timeout: LONGEST_TEST }, async () => {
    const [port = 0] = await freePorts(1);
    for (const { file, text } of blocks.filter(({ language }) => language === "js")) {
      writeFileSync(join(project.folder, file), text);
    }
    const scripts = blocks.filter(({ language }) => language === "sh").map(({ text }) => text);
    expect(scripts).toHaveLength(5);
    // The package of this build is installed already. The port may be taken.
    const script = scripts
      .join("\n")
      .replace("npm install kubets\n", "")
      .replace("--secure-port=8443", `--secure-port=${port}`);
    const { code, printed } = await bash(script);
    expect(code, printed).toBe(0);
    const lines = printed.split("\n").map((line) => line.trimEnd());
    for (const wanted of blocks
      .filter(({ kind }) => kind === "output")
      .flatMap(({ text }) => text.trim().split("\n"))) {
      const [start = "", end] = wanted.split("...");
      const at = lines.findIndex((line) => (end === undefined ? line === wanted : line.startsWith(start)));
      expect(at, `${wanted}\nis not in\n${printed}`).toBeGreaterThanOrEqual(0);
      lines.splice(0, at + 1);
    }
  });
});
