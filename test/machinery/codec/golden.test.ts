import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { schemaFor, servedResources } from "../../../src/api/facts/index.js";
import { encodeObjectText } from "../../../src/machinery/codec/encode.js";
import { decodeJson } from "../../../src/machinery/codec/json-decoder.js";
import { decodeObject } from "../../../src/machinery/codec/strict-decode.js";

// One filled object of each kind as k8s.io/api v0.36.3 has them in its testdata; not part of the project.
const folder = new URL("../../../../shared/data/golden/api/", import.meta.url);
const there = existsSync(folder);

describe.skipIf(!there)("golden objects (skipped where k8s.io/api's testdata is not beside the project)", () => {
  const served = new Set(servedResources().map(({ group, version, kind }) => `${group || "core"}.${version}.${kind}`));
  const files = there ? readdirSync(folder).filter((file) => file.endsWith(".json")) : [];
  const kinds = files.filter((file) => served.has(file.slice(0, -".json".length)));

  test("there is one for every served kind of k8s.io/api", () => {
    const missing = [...served].filter((kind) => !files.includes(`${kind}.json`));
    const elsewhere = /^(apiextensions\.k8s\.io|apiregistration\.k8s\.io)\./;
    expect(missing.filter((kind) => !elsewhere.test(kind))).toEqual([]);
    expect(kinds.length).toBeGreaterThan(60);
  });

  test.each(kinds)("%s decodes strictly and encodes to the same JSON in the same order", (file) => {
    const bytes = readFileSync(new URL(file, folder));
    const { value, duplicates } = decodeJson(bytes);
    const [, group = "", version = "", kind = ""] = /^(.*)\.(v[^.]*)\.([^.]*)\.json$/.exec(file) ?? [];
    const schema = schemaFor({ group: group === "core" ? "" : group, version, kind });
    if (schema === undefined) throw new Error(`no schema for ${file}`);
    const { object, strictErrors } = decodeObject(value, schema, { mode: "Strict", duplicates });
    expect(strictErrors).toEqual([]);
    const encoded = encodeObjectText(object, schema);
    expect(encoded).toBe(JSON.stringify(value));
    expect(encodeObjectText(decodeObject(JSON.parse(encoded), schema).object, schema)).toBe(encoded);
  });
});
