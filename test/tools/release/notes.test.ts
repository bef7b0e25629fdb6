import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { releaseNotes } from "../../../tools/release/notes.mjs";

const CHANGELOG = `# Changelog

## [0.2.0] - 2026-12-01

### Added

- Plants.

## [0.1.0] - 2026-11-01

- Pots.
`;

describe("release notes", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-notes-"));
    git("init", "--quiet");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const git = (...words: string[]): string => {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...author, ...words], { cwd: folder, encoding: "utf8" });
  };
  const commit = (subject: string, ...files: string[]): void => {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), subject);
    }
    git("add", "--all");
    git("commit", "--quiet", "--message", `${subject}\n\nA body that is not in the notes.`);
  };
  const notes = (version = "0.2.0"): string => releaseNotes(folder, version, CHANGELOG) as string;

  test("begin with the changelog's entry, then list the commits since the last version's tag, newest first, by part", () => {
    commit("Pots are sold", "src/server/pots.ts");
    git("tag", "v0.1.0");
    commit("get prints plants", "src/commands/get/plants.ts", "test/commands/get/plants.test.ts", "docs/plants.md");
    commit("The registry knows plants", "src/server/plants.ts");
    commit("A test of plants", "test/plants.test.ts");
    commit("The store keeps plants", "src/server/storage/plants.ts", "src/client/plants.ts", "src/server/watch.ts");
    expect(notes()).toBe(`# kubets 0.2.0

### Added

- Plants.

## Commits since v0.1.0 (4)

### Command line

- get prints plants

### Server

- The store keeps plants
- The registry knows plants

### Tests, measurements and documents

- A test of plants
`);
  });

  test("are the changelog's entry alone where no version is tagged: a first release's log is the whole history", () => {
    commit("Pots are sold", "src/server/pots.ts");
    git("tag", "another-tag");
    expect(notes()).toBe("# kubets 0.2.0\n\n### Added\n\n- Plants.\n");
  });

  test("list no merges", () => {
    commit("Pots are sold", "src/server/pots.ts");
    git("tag", "v0.1.0");
    git("checkout", "--quiet", "-b", "side");
    commit("Plants grow", "src/client/plants.ts");
    git("checkout", "--quiet", "-");
    commit("Pots break", "src/server/breaks.ts");
    git("merge", "--quiet", "--no-edit", "side");
    expect(notes()).toContain(
      "## Commits since v0.1.0 (2)\n\n### Server\n\n- Pots break\n\n### Library\n\n- Plants grow\n",
    );
  });

  test("need an entry in the changelog", () => {
    commit("Pots are sold", "src/server/pots.ts");
    expect(() => notes("0.3.0")).toThrow("CHANGELOG.md has no entry for 0.3.0");
  });
});
