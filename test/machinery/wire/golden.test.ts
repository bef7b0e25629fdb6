import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allDefinitionsOf } from "../../../src/api/facts/unpublished.js";
import { encodeObjectText } from "../../../src/machinery/wire/encode.js";
import { decodeJson } from "../../../src/machinery/wire/json/json-decoder.js";
import { decodeObject } from "../../../src/machinery/wire/strict-decode.js";
import type { GroupVersionKind } from "../../../src/machinery/meta/gvk.js";
import { goldenObjects, hasGoldenObjects } from "../../helpers/golden-objects.js";

/** Options of requests are kinds of every group, and of none. */
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

describe.skipIf(!hasGoldenObjects).each(goldenObjects)(
  "Kubernetes $version's published example objects",
  ({ release, folder, ...golden }) => {
    const files = golden.files.filter((file) => file.endsWith(".json"));

    test("exist for every served kind of k8s.io/api", () => {
      const served = release
        .servedResources()
        .map(({ group, version, kind }) => `${group || "core"}.${version}.${kind}`);
      const missing = served.filter((kind) => !files.includes(`${kind}.json`));
      const elsewhere = /^(apiextensions\.k8s\.io|apiregistration\.k8s\.io)\./;
      expect(missing.filter((kind) => !elsewhere.test(kind))).toEqual([]);
      expect(files.length).toBeGreaterThan(180);
    });

    test.each(files)("decode strictly and encode to the same JSON in the same order: %s", (file) => {
      const bytes = readFileSync(join(folder, file));
      const { value, duplicates } = decodeJson(bytes);
      const gvk = kindOf(file);
      const definitions = allDefinitionsOf(release);
      const schema = definitions.schemaFor(gvk) ?? definitions.structOf(`${META}.${gvk.kind}`);
      if (schema === undefined) throw new Error(`no schema for ${file}`);
      const { object, strictErrors } = decodeObject(value, schema, { mode: "Strict", duplicates });
      expect(strictErrors).toEqual([]);
      const encoded = encodeObjectText(object, schema);
      expect(encoded).toBe(JSON.stringify(value));
      expect(encodeObjectText(decodeObject(JSON.parse(encoded), schema).object, schema)).toBe(encoded);
    });
  },
);

/** "apps.v1beta1.Deployment.json" */
function kindOf(file: string): GroupVersionKind {
  const [, group = "", version = "", kind = ""] = /^(.*)\.(v[^.]*)\.([^.]*)\.json$/.exec(file) ?? [];
  return { group: group === "core" ? "" : group, version, kind };
}
