import type { FactsFile } from "../../src/api/facts/data.js";
import { typeId } from "./fields.js";
import { line, type Line, type VersionData } from "./version-data.js";

/** What a word of a definition's line means: tools/api-facts/facts-of-version.mjs. */
const KEYS: Readonly<Record<string, string>> = {
  p: "protobuf number",
  n: "named type",
  o: "named type",
  d: "default",
  i: "inlined structs",
  s: "patch strategy",
  k: "patch merge key",
  l: "list type",
  m: "list map keys",
  t: "map type",
};
const FLAGS: Readonly<Record<string, string>> = { o: "omitempty", z: "omitzero", r: "required" };

const MADE = "tools/generate-api-facts.mjs makes it";

/** So many fields with the same change have lines of their own. */
const FEW = 3;

/**
 * Marks that facts carry: they are obeyed once the facts are made, and a person looks whether code says the same. `base` are the facts that are
 * committed for the version, or those of the newest served one.
 */
export function carriedLines(next: VersionData, base: Pick<FactsFile, "definitions">): readonly Line[] {
  const fields = new Map<string, Set<string>>();
  const note = (id: string, text: string): void => void fields.set(text, (fields.get(text) ?? new Set()).add(id));
  for (const [packageName, types] of Object.entries(next.facts.definitions)) {
    for (const [name, text] of Object.entries(types)) {
      const old = base.definitions[packageName]?.[name];
      if (old === undefined || old === text) continue;
      for (const [field, change] of changesOfType(old, text))
        note(`${typeId(`${packageName}.${name}`)}${field}`, change);
    }
  }
  return [...fields].flatMap(([text, ids]) => {
    const section = text.startsWith("new") || text === "gone" ? "fields" : "marks";
    if (section === "marks" && ids.size > FEW) return [line(section, [text], [...ids].join(", "), MADE)];
    return [...ids].map((id) => line(section, [id, text], text, MADE));
  });
}

/** ".field" and what changed in it; "" and what changed in the type. */
function changesOfType(old: string, now: string): readonly Change[] {
  const [before, after] = [wordsOf(old), wordsOf(now)];
  const changes: Change[] = [];
  for (const [field, word] of after) {
    const was = before.get(field);
    if (was === undefined) changes.push(isOfType(field) ? ["", `${field.slice(1)} now`] : [`.${field}`, newOf(word)]);
    else if (!isOfType(field)) for (const change of changesOf(was, word)) changes.push([`.${field}`, change]);
  }
  for (const field of before.keys()) {
    if (!after.has(field)) changes.push(isOfType(field) ? ["", `${field.slice(1)} no more`] : [`.${field}`, "gone"]);
  }
  return changes;
}

type Change = readonly [field: string, change: string];

/** "@mapType=atomic" */
const isOfType = (word: string): boolean => word.startsWith("@");

const newOf = (word: string): string => `new, of type ${word.split(" ")[2]}`;

const wordsOf = (line: string): ReadonlyMap<string, string> =>
  new Map(
    line
      .split(";")
      .filter((word) => word !== "")
      .map((word) => [word.slice(0, (word.indexOf(" ") + 1 || word.length + 1) - 1), word]),
  );

function changesOf(old: string, now: string): readonly string[] {
  const [, flags = "", type = "", ...pairs] = now.split(" ");
  const [, oldFlags = "", oldType = "", ...oldPairs] = old.split(" ");
  const [values, oldValues] = [pairsOf(pairs), pairsOf(oldPairs)];
  const keys = [...new Set([...values.keys(), ...oldValues.keys()])];
  return [
    ...Object.entries(FLAGS).flatMap(([flag, name]) =>
      flags.includes(flag) === oldFlags.includes(flag)
        ? []
        : [flags.includes(flag) ? `${name} now` : `${name} no more`],
    ),
    ...(type === oldType ? [] : [`type ${oldType} -> ${type}`]),
    ...keys.flatMap((key) => {
      const [was = "none", is = "none"] = [oldValues.get(key), values.get(key)];
      return was === is ? [] : [`${KEYS[key] ?? key} ${was} -> ${is}`];
    }),
  ];
}

const pairsOf = (pairs: readonly string[]): ReadonlyMap<string, string> =>
  new Map(pairs.map((pair) => [pair.slice(0, 1), pair.slice(2)]));
