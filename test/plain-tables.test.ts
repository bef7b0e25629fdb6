import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** A table at the top of a file: `const NAMES: Readonly<Record<string, T>> = {`, and what makes it one without a prototype. */
const TABLE =
  /^(?:export )?const (\w+):\s+Readonly<\s*(?:Partial<\s*)?Record<\s*string,[^=;]*?(?:=>[^=;]*?)*=\s+(?:(dictionary)\b|\{(\s*__proto__: null)?)/gm;

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name: relative(src, join(src, name)), text: readFileSync(join(src, name), "utf8") }));

/** How often a table is looked up by something that is not written out, and how often its own names are asked for first. */
function lookUps(table: string, text: string): { readonly all: number; readonly guarded: number } {
  const all = text.match(new RegExp(`\\b${table}(?:\\?\\.)?\\[(?!["'\\d])`, "g")) ?? [];
  const guarded = text.match(new RegExp(`hasOwn\\(${table},`, "g")) ?? [];
  return { all: all.length, guarded: guarded.length };
}

test("source code that looks up a table by a user's name uses one without a prototype, or checks for own names", () => {
  const tables = files.flatMap(({ name, text }) =>
    [...text.matchAll(TABLE)].map(([whole, table = "", made, bare = made]) => ({ name, text, whole, table, bare })),
  );
  expect(tables.length).toBeGreaterThan(80);
  const open = tables
    .filter(({ bare }) => bare === undefined)
    .filter(({ name, text, whole, table }) => {
      const users = whole.startsWith("export")
        ? files.filter((one) => new RegExp(`\\b${table}\\b`).test(one.text))
        : [{ name, text }];
      return users.some((user) => {
        const { all, guarded } = lookUps(table, user.text);
        return all > guarded;
      });
    });
  expect(open.map(({ name, table }) => `${name}: ${table}`)).toEqual([]);
});
