import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedContainer, startScripted } from "./scripted-container.js";

/** A script that both a scripted container and this machine run, in a folder of its own. */
export type AgainstReal =
  | string
  | {
      readonly script: string;
      readonly stdin?: string;
      /** What the script writes where the machine's program says something else, and why. */
      readonly instead?: { readonly stdout?: string; readonly stderr?: string; readonly code?: number };
      readonly why?: string;
      /** Of stderr only the first line is compared: help prose is not. */
      readonly firstLine?: boolean;
    };

/** Whether this machine has a program; says so where it lacks one. */
export function hasReal(program: string): boolean {
  const has = spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
  if (!has) process.stdout.write(`${program} of this machine is not compared: there is none on PATH\n`);
  return has;
}

/** Runs each script in a container and on this machine, in folders with the same files, and compares what they write. */
export function compareWithReal(
  programs: readonly string[],
  files: Readonly<Record<string, string>>,
  rows: readonly AgainstReal[],
): void {
  const isThere = programs.every(hasReal);
  let container: ScriptedContainer;
  let above: string;

  beforeAll(async () => {
    const inside = Object.entries(files).map(([name, content]) => [`/work/0/${name}`, content]);
    container = await startScripted({ files: Object.fromEntries(inside) });
    above = mkdtempSync(join(tmpdir(), "kubets-real-"));
  });
  afterAll(() => rmSync(above, { recursive: true, force: true }));

  test.each(rows.map((row, index) => (typeof row === "string" ? { script: row, index } : { ...row, index })))(
    "$script",
    async ({ script, index, stdin = "", instead, firstLine = false }) => {
      const first = (text: string): string => (firstLine ? (text.split("\n")[0] ?? "") : text);
      const folder = join(above, String(index));
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
      mkdirSync(folder, { recursive: true });
      const copied = `mkdir -p /work/${index + 1} && cd /work/${index + 1} && cp -r ${Object.keys(files).length > 0 ? "/work/0/." : "/dev/null"} .`;
      expect(await container.sh(copied)).toMatchObject({ stderr: "", code: 0 });
      const ours = await container.sh(`cd /work/${index + 1} || exit\n${script}`, stdin);
      const got = { ...ours, stderr: first(ours.stderr) };
      if (!isThere && instead === undefined) return;
      const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC", HOME: "/root" };
      const real = isThere
        ? spawnSync("sh", ["-c", script], { cwd: folder, env, input: stdin, encoding: "utf8", timeout: 10_000 })
        : undefined;
      expect(got).toEqual({
        stdout: real?.stdout,
        stderr: first(real?.stderr ?? ""),
        code: real?.status,
        ...instead,
      });
    },
  );
}
