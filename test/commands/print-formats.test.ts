import { describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.js";
import { root } from "../../src/commands/root.js";

/** Every command that runs, with the path it is called by. */
function* runnable(entry: CommandEntry, path: string): Iterable<readonly [string, () => Promise<unknown>]> {
  if (entry.load !== undefined) yield [path, entry.load];
  for (const child of entry.children ?? []) yield* runnable(child, `${path} ${child.name}`.trim());
}

async function unprepared(entry: CommandEntry): Promise<readonly string[]> {
  const command = await entry.load?.();
  const flags = command?.flags ?? [];
  if (!flags.some(({ name }) => name === "template")) return [];
  return flags
    .filter(({ name, load }) => /^(output|template)$/.test(name) && load === undefined)
    .map(({ name }) => name);
}

describe("the commands that print objects", () => {
  it("load only the printer that -o and --template ask for", async () => {
    const found: string[] = [];
    let asked = 0;
    for (const [path, load] of runnable(root, "")) {
      asked += 1;
      const missing = await unprepared({ name: path, load } as CommandEntry);
      found.push(...missing.map((flag) => `${path} --${flag}`));
    }
    expect(asked).toBeGreaterThan(10);
    expect(found).toEqual([]);
  });
});
