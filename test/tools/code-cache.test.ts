import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

interface Loaded {
  readonly scripts: ReadonlyMap<string, { readonly cachedDataRejected?: boolean }>;
  load(path: string): { readonly [name: string]: unknown };
}
const { CachedRequire } = require("../../bin/cached-require.js") as { CachedRequire: new (folder: string) => Loaded };

// Skipped where dist/ is not built: the suite is about what the build wrote.
describe.skipIf(!existsSync(join(root, "dist/cli/main.cjs")))("the built program's V8 code cache", () => {
  let folder: string;
  let cache: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-code-cache-test-"));
    cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
    cpSync(join(root, "dist/cli"), join(folder, "dist/cli"), { recursive: true });
    cache = join(folder, "dist/cli/code-cache", `${process.versions.v8}-${process.arch}`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const kubets = (...words: string[]): string =>
    execFileSync(process.execPath, [join(folder, "bin/kubets.js"), ...words], { encoding: "utf8" });

  test("contains what every `get` loads, and V8 accepts it", () => {
    expect(readdirSync(cache)).toEqual(
      expect.arrayContaining(["main.cjs", "config.cjs", "connect.cjs", "commands-get-get.cjs"]),
    );
    const { scripts } = loaded("./main.cjs", "./config.cjs", "./connect.cjs", "./commands-get-get.cjs");
    expect([...scripts].map(([path, { cachedDataRejected }]) => [path, cachedDataRejected])).toEqual([
      ["./main.cjs", false],
      ["./config.cjs", false],
      ["./connect.cjs", false],
      ["./commands-get-get.cjs", false],
    ]);
  });

  test("does not contain the path of the build folder", () => {
    const naming = readdirSync(cache).filter((file) => readFileSync(join(cache, file)).includes(root));
    expect(naming).toEqual([]);
  });

  test("may be of another V8 version or missing, with no visible effect", () => {
    const version = kubets("version", "--client");
    expect(version).toMatch(/^Client Version: v1\.37\./);
    const kept = readFileSync(join(cache, "main.cjs"));
    writeFileSync(join(cache, "main.cjs"), "not compiled code");
    expect(loaded("./main.cjs").scripts.get("./main.cjs")?.cachedDataRejected).toBe(true);
    expect(kubets("version", "--client")).toBe(version);
    rmSync(join(cache, "main.cjs"));
    expect(kubets("version", "--client")).toBe(version);
    writeFileSync(join(cache, "main.cjs"), kept);
  });

  test("is not written by a program without its cache folder", () => {
    const cacheFolder = join(folder, "dist/cli/code-cache");
    rmSync(cacheFolder, { recursive: true });
    expect(kubets("version", "--client")).toMatch(/^Client Version/);
    expect(existsSync(cacheFolder)).toBe(false);
  });

  function loaded(...paths: readonly string[]): Loaded {
    const require = new CachedRequire(join(folder, "dist/cli"));
    for (const path of paths) require.load(path);
    return require;
  }
});

test("a program that is not built prints what to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-not-built-"));
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  const run = (): string =>
    execFileSync(process.execPath, [join(folder, "bin/kubets.js"), "version"], { encoding: "utf8", stdio: "pipe" });
  expect(run).toThrow(/kubets is not built yet: run `npm run build` in its folder first\n/);
  rmSync(folder, { recursive: true });
});
