import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectNames } from "./project-names.js";
import { spellings } from "./project-names.js";

/** Lines that go into a file which lists the kinds. */
interface Addition {
  readonly path: string;
  /** Finds where each text goes: behind what it matches. */
  readonly lines: readonly { readonly behind: RegExp; readonly text: string }[];
}

/** What a new kind adds to the files of an operator that list its kinds. */
function additionsFor({ kind, group, plural }: ProjectNames): readonly Addition[] {
  const { file } = spellings(kind);
  const listed = (path: string, what: string): Addition => ({
    path,
    lines: [
      { behind: /^(?:import [^\n]*\n)*/, text: `import { add${kind}${what} } from "./${file}.js";\n` },
      { behind: /\nexport function add\w+\(manager: Manager\): void \{\n/, text: `  add${kind}${what}(manager);\n` },
    ],
  });
  const rights = `  { apiGroups: ["${group}"], resources: ["${plural}"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["${group}"], resources: ["${plural}/status"], verbs: ["patch"] },\n`;
  return [
    { path: "src/api/index.ts", lines: [{ behind: /[^]*/, text: `export * from "./${file}.js";\n` }] },
    listed("src/controllers/index.ts", "Controller"),
    listed("src/webhooks/index.ts", "Webhooks"),
    { path: "src/rights.ts", lines: [{ behind: /\nexport const rights: PolicyRule\[\] = \[\n/, text: rights }] },
  ];
}

/**
 * Adds a kind to the files that list the kinds; everything else in them stays. Resolves with what a person must add, as
 * "FILE:\n  LINES", because the file does not look as `project new` wrote it.
 */
export async function addToLists(folder: string, names: ProjectNames): Promise<readonly string[]> {
  const byHand: string[] = [];
  for (const { path, lines } of additionsFor(names)) {
    const before = await readFile(join(folder, path), "utf8").catch(() => undefined);
    const after = before === undefined ? undefined : withLines(before, lines);
    if (after === undefined) byHand.push(`${path}:\n${lines.map(({ text }) => text).join("")}`);
    else await writeFile(join(folder, path), after);
  }
  return byHand;
}

/** The text with all lines in their places; undefined where one of the places is missing. */
function withLines(text: string, lines: Addition["lines"]): string | undefined {
  let after = text;
  for (const { behind, text: added } of lines) {
    const match = behind.exec(after);
    if (match === null) return undefined;
    const at = match.index + match[0].length;
    after = after.slice(0, at) + added + after.slice(at);
  }
  return after;
}
