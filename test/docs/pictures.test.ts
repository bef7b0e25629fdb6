import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// The pictures of docs/pictures are what the program shows today.

const root = resolve(import.meta.dirname, "../..");
const pictures = join(root, "docs/pictures");
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) process.stdout.write("the pictures of the docs are not compared: tmux is not there\n");

/** The words of a picture, without what differs from run to run: ages, times, numbers of processes, ports and pods' names. */
function wordsOf(svg: string): string[] {
  const text = svg.replace(/<style>.*<\/style>/s, "").replaceAll(/<[^>]*>/g, " ");
  return text
    .split(/\s+/)
    .map((word) => word.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID").replaceAll(/-[0-9a-z]{5}\b/g, "-NAME"))
    .map((word) => word.replaceAll(/[0-9][0-9a-f.:TZ-]*[smhd]?/g, "N").replace(/\(xN|…$/g, ""))
    .filter((word) => word !== "" && word !== "ago)" && word !== "(N");
}

describe.skipIf(!hasTmux)("docs/pictures", () => {
  let folder: string;
  const committed = readdirSync(pictures).filter((name) => name.endsWith(".svg"));

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-pictures-"));
    execFileSync(process.execPath, [join(root, "tools/pictures/make.mjs"), folder], { stdio: "inherit" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("are all that the script makes, at 80 and 160 columns", () => {
    expect(committed.sort()).toEqual(readdirSync(folder).sort());
    expect(committed.filter((name) => name.endsWith("-80.svg"))).toHaveLength(committed.length / 2);
  });

  test.each(committed)("%s shows the same words", (name) => {
    const [before, now] = [pictures, folder].map((from) => wordsOf(readFileSync(join(from, name), "utf8")));
    expect(now).toEqual(before);
  });
});
