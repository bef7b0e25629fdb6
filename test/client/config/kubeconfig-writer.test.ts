import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { modifyKubeconfig, startingKubeconfig } from "../../../src/client/config/kubeconfig-writer.js";
import type { Kubeconfig } from "../../../src/client/config/kubeconfig.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-kubeconfig-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sourcesOf = (file: string) => ({ explicitPath: file, env: {}, cwd: folder });

async function begin(file: string): Promise<{ readonly start: Kubeconfig; readonly wanted: Kubeconfig }> {
  const start = await startingKubeconfig(sourcesOf(file));
  return { start, wanted: structuredClone(start) };
}

test("two commands that change one kubeconfig at the same time keep each other's changes", async () => {
  const sources = sourcesOf("config");
  const first = await begin("config");
  first.wanted.clusters.set("old", { origin: "", server: "https://old" });
  await modifyKubeconfig(sources, first, false);

  const [one, other] = [await begin("config"), await begin("config")];
  one.wanted.clusters.set("one", { origin: "", server: "https://one" });
  one.wanted.currentContext = "one";
  other.wanted.clusters.set("other", { origin: "", server: "https://other" });
  other.wanted.clusters.delete("old");
  await modifyKubeconfig(sources, one, false);
  await modifyKubeconfig(sources, other, false);

  const { clusters, currentContext } = await startingKubeconfig(sources);
  expect([...clusters.keys()].toSorted()).toEqual(["one", "other"]);
  expect(currentContext).toBe("one");
});

test("writing a kubeconfig goes through a symbolic link, keeps the target's mode, and makes a new file private", async () => {
  writeFileSync(join(folder, "real"), "apiVersion: v1\nkind: Config\n", { mode: 0o640 });
  symlinkSync("real", join(folder, "link"));
  for (const file of ["link", "new"]) {
    const change = await begin(file);
    change.wanted.clusters.set("c", { origin: "", server: "https://c" });
    await modifyKubeconfig(sourcesOf(file), change, false);
  }
  expect(readFileSync(join(folder, "real"), "utf8")).toContain("https://c");
  if (process.platform !== "win32") {
    expect(statSync(join(folder, "real")).mode & 0o777).toBe(0o640);
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o600);
  }
});
