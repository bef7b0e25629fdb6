import { spawnSync } from "node:child_process";
import { getPriority, constants } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const script = join(import.meta.dirname, "../../tools/beside.mjs");
const node = `"${process.execPath}"`;
const beside = (...lines: string[]) => spawnSync(process.execPath, [script, ...lines], { encoding: "utf8" });
const exits = (code: number) => `exit ${code}`;
const printsPriorityOf = (name: string) => `${node} -p "'${name} ' + require('node:os').getPriority()"`;

describe("the tool that runs command lines beside a main one", () => {
  test.each([
    ["the first's code where it fails", [exits(3), exits(0)], 3],
    ["the first's code where others fail too", [exits(3), exits(4)], 3],
    ["another's code where the first succeeds", [exits(0), exits(4)], 4],
    ["0 where all succeed", [exits(0), exits(0), exits(0)], 0],
  ])("exits with %s", (_, lines, code) => {
    expect(beside(...lines).status).toBe(code);
  });

  test("gives them a lower priority, and keeps the main one's", () => {
    const { stdout } = beside(printsPriorityOf("first"), printsPriorityOf("second"));
    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining([`first ${getPriority()}`, `second ${constants.priority.PRIORITY_BELOW_NORMAL}`]),
    );
  });

  test("prints their outputs, errors too, and their codes when they end", () => {
    const line = `${node} -e "console.log('found'); console.error('a fault'); process.exitCode = 2"`;
    expect(beside(exits(0), line).stdout).toBe(`\n${line} ended with 2\nfound\na fault\n\n`);
  });

  test("ends a group of them at the first line that fails", () => {
    const { stdout } = beside(exits(0), exits(1), `${node} -p "'never'"`);
    expect(stdout).not.toContain("never\n");
  });
});
