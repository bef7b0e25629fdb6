import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// The script that makes docs/pictures of what the program shows still does.

const root = resolve(import.meta.dirname, "../..");
const pictures = join(root, "docs/pictures");
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) process.stdout.write("the pictures of the docs are not compared: tmux is not there\n");

/** The commands of a picture. What they answer has ages, names and states that differ from run to run. */
const commandsOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/>(\$ kubets [^<]*)</g)].map(([, line = ""]) => line.trim());

describe.skipIf(!hasTmux)("the pictures in docs/pictures", () => {
  let folder: string;
  const committed = readdirSync(pictures).filter((name) => name.endsWith(".svg"));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-pictures-"));
    execFileSync(process.execPath, [join(root, "tools/pictures/make.mjs"), folder], { stdio: "inherit" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("are all that the script makes, 80 and 160 columns wide", () => {
    expect(committed.sort()).toEqual(readdirSync(folder).sort());
    expect(committed.filter((name) => name.endsWith("-80.svg"))).toHaveLength(committed.length / 2);
  });

  test.each(committed)("have the same commands, an answer below each, and both colour schemes: %s", (name) => {
    const [before = "", now = ""] = [pictures, folder].map((from) => readFileSync(join(from, name), "utf8"));
    expect(commandsOf(now)).toEqual(commandsOf(before));
    expect(commandsOf(now)).not.toEqual([]);
    expect(now.match(/<text /g)?.length).toBeGreaterThan(2 * commandsOf(now).length - 1);
    expect(now).toContain("@media (prefers-color-scheme: dark)");
  });
});
