import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describedAt, type DescriptionsFile, EVERY_KIND, EVERY_LIST } from "../../../src/api/descriptions/file-of.js";
import { releaseOf, SERVED_VERSIONS } from "../../../src/api/facts/index.js";
import { openApiV2Json } from "../../../src/api/openapi/index.js";

// K37-267: every type and every field that a served version of Kubernetes publishes has a description, and none is a stub.
const releases = await Promise.all(SERVED_VERSIONS.map((version) => releaseOf(version)));
const definitionNames = [...new Set(releases.flatMap(({ definitions }) => definitions.names()))];
const isKind = (definition: string): boolean =>
  releases.some(({ definitions }) => definitions.kindsOf(definition).length > 0);

/** Of all versions. */
const fieldsOf = (definition: string): readonly string[] => [
  ...new Set(
    releases.flatMap(({ definitions }) => (definitions.structOf(definition)?.fields ?? []).map(({ name }) => name)),
  ),
];

const folder = join(import.meta.dirname, "../../../src/api/descriptions");
const only = process.env["DESCRIPTIONS"]?.split(",");
const files = new Map<string, DescriptionsFile>();
const read = (file: string): DescriptionsFile => {
  let found = files.get(file);
  if (found === undefined) {
    const path = join(folder, `${file}.json`);
    found = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as DescriptionsFile) : {};
    files.set(file, found);
  }
  return found;
};

/** The types of a file, each with its definitions. */
const byFile = new Map<string, string[]>();
for (const definition of definitionNames) {
  const file = describedAt(definition)?.file ?? "unknown";
  if (only === undefined || only.includes(file)) byFile.set(file, [...(byFile.get(file) ?? []), definition]);
}

function textOf(definition: string, field: string): string | undefined {
  const at = describedAt(definition);
  const shared = isKind(definition) ? (definition.endsWith("List") ? EVERY_LIST : EVERY_KIND) : undefined;
  const file = read(at?.file ?? "");
  for (const key of at?.keys ?? []) {
    const text = file[key]?.[field];
    if (text !== undefined) return text;
  }
  return shared === undefined || field === "" ? undefined : read("meta")[shared]?.[field];
}

/** What OpenAPI describes: types of structs, and those with a JSON form of their own (Quantity, Time). */
const PUBLISHED = [
  ...new Set(
    releases.flatMap((release) => {
      const document = new TextDecoder().decode(openApiV2Json(release.builtInApi()));
      return Object.keys((JSON.parse(document) as { definitions: object }).definitions);
    }),
  ),
];

const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];
const LITTLE = new Set(
  "a an the of is are this that it its for to in on at by and or with as be object field value list".split(" "),
);

/** True where a text says nothing that the name does not say. */
function isStub(name: string, text: string): boolean {
  const known = new Set(words(name.replace(/([a-z])([A-Z])/g, "$1 $2")));
  const said = words(text).filter(
    (word) => !LITTLE.has(word) && !known.has(word) && !known.has(word.replace(/s$/, "")),
  );
  return said.length < 3;
}

describe.each([...byFile.keys()].toSorted())("our field descriptions in %s", (file) => {
  const definitions = byFile.get(file) ?? [];

  test("describe every type and field in more than a stub", () => {
    const problems: string[] = [];
    for (const definition of definitions) {
      for (const field of ["", ...fieldsOf(definition)]) {
        const text = textOf(definition, field);
        const where = field === "" ? definition : `${definition}.${field}`;
        if (text === undefined) problems.push(`${where}: none`);
        else if (isStub(field === "" ? (definition.split(".").at(-1) ?? "") : field, text))
          problems.push(`${where}: a stub`);
        else if (!/[.)]$/.test(text) || text !== text.trim() || text.includes("  "))
          problems.push(`${where}: its form`);
        else if (text.length > 700) problems.push(`${where}: ${text.length} characters`);
      }
    }
    expect(problems.slice(0, 40)).toEqual([]);
  });

  test("do not repeat one text under many names", () => {
    const places = new Map<string, Set<string>>();
    for (const [type, fields] of Object.entries(read(file))) {
      for (const [field, text] of Object.entries(fields)) {
        places.set(text, (places.get(text) ?? new Set()).add(field === "" ? type : field));
      }
    }
    expect([...places].filter(([, names]) => names.size > 2).map(([text]) => text)).toEqual([]);
  });

  test("describe only types and fields that exist", () => {
    const published = PUBLISHED.filter((definition) => describedAt(definition)?.file === file);
    const known = new Set([...definitions, ...published].flatMap((definition) => describedAt(definition)?.keys ?? []));
    const unknown = Object.entries(read(file)).flatMap(([key, fields]) => {
      if (key === EVERY_KIND || key === EVERY_LIST) return [];
      if (!known.has(key)) return [key];
      const own = new Set(
        definitions.filter((definition) => describedAt(definition)?.keys.includes(key) === true).flatMap(fieldsOf),
      );
      return Object.keys(fields)
        .filter((field) => field !== "" && !own.has(field))
        .map((field) => `${key}.${field}`);
    });
    expect(unknown).toEqual([]);
  });
});

test("every definition of OpenAPI has a description", () => {
  expect(PUBLISHED.filter((definition) => textOf(definition, "") === undefined)).toEqual([]);
});

test("each file of our field descriptions belongs to an API group", () => {
  const found = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const known = new Set(definitionNames.map((definition) => `${describedAt(definition)?.file ?? ""}.json`));
  expect(found.filter((name) => !known.has(name))).toEqual([]);
});
