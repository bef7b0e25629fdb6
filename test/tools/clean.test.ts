import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = resolve(import.meta.dirname, "../../tools/clean.mjs");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-clean-"));
  for (const name of ["dist", "dist.executable", ".cache", "node_modules", "src", "release", "tools"])
    mkdirSync(join(folder, name));
  writeFileSync(join(folder, "dist/index.js"), "");
  cpSync(script, join(folder, "tools/clean.mjs"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const clean = (...args: string[]) =>
  spawnSync(process.execPath, [join(folder, "tools/clean.mjs"), ...args], { encoding: "utf8" });

test("clean removes what builds leave behind, and nothing else", () => {
  expect(clean().stdout).toBe("removed dist\nremoved dist.executable\nremoved .cache\n");
  expect(readdirSync(folder).sort()).toEqual(["node_modules", "release", "src", "tools"]);
  expect(clean()).toMatchObject({ status: 0, stdout: "" });
});

test("clean --dry-run names the folders and keeps them", () => {
  const before = readdirSync(folder);
  expect(clean("--dry-run").stdout).toContain("would remove dist\n");
  expect(readdirSync(folder)).toEqual(before);
});

test("clean refuses an argument that it does not have", () => {
  expect(clean("--all")).toMatchObject({
    status: 1,
    stderr: 'clean: unknown argument "--all"; it takes --dry-run alone\n',
  });
  expect(readdirSync(folder)).toContain("dist");
});
