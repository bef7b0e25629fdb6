import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../../src/api/facts/index.js";
import { encodeProtobufDocument } from "../../../../src/machinery/wire/protobuf/encode-protobuf.js";
import { openEnvelope } from "../../../../src/machinery/wire/protobuf/envelope.js";
import { goldenObjects, hasGoldenObjects } from "../../../helpers/golden-objects.js";
import { type GroupVersionKind, parseGroupVersion } from "../../../../src/machinery/meta/gvk.js";

function encode(kind: GroupVersionKind, object: object): string {
  const schema = schemaFor(kind);
  if (schema === undefined) throw new Error(`no schema for ${kind.kind}`);
  return Buffer.from(encodeProtobufDocument(object, kind, schema)).toString("hex");
}

// generateName and so on up to the creation time, which kubectl 1.36.3 sends empty for `create sa robot`.
const META = "2200" + "2a00" + "3200" + "3800" + "4200";

test("encoding protobuf writes zero values that are not pointers, in the order of their field numbers", () => {
  const robot = Buffer.from("robot").toString("hex");
  const metadata = `0a05${robot}` + "1200" + "1a00" + META;
  const raw = `0a${(metadata.length / 2).toString(16)}${metadata}`;
  const type = "0a0276311" + "20e" + Buffer.from("ServiceAccount").toString("hex");
  const body = `0a${(type.length / 2).toString(16)}${type}12${(raw.length / 2).toString(16)}${raw}1a002200`;
  const written = encode({ group: "", version: "v1", kind: "ServiceAccount" }, { metadata: { name: "robot" } });
  expect(written).toBe(`6b387300${body}`);
});

test("encoding protobuf writes a negative number in ten bytes", () => {
  const kind = { group: "scheduling.k8s.io", version: "v1", kind: "PriorityClass" };
  expect(encode(kind, { value: -5 })).toContain("10fbffffffffffffffff01");
});

test("K36-D: the GroupResource of a StorageVersionMigration is sent as protobuf", () => {
  const kind = { group: "storagemigration.k8s.io", version: "v1beta1", kind: "StorageVersionMigration" };
  const spec = { resource: { group: "apps", resource: "deployments" } };
  const [group, resource] = [Buffer.from("apps").toString("hex"), Buffer.from("deployments").toString("hex")];
  expect(encode(kind, { metadata: { name: "m" }, spec })).toContain(`0a04${group}120b${resource}`);
});

describe.skipIf(!hasGoldenObjects).each(goldenObjects)(
  "encoding protobuf writes Kubernetes $version's published objects byte for byte",
  (golden) => {
    const { release, folder, files } = golden;
    test.each(files.filter((file) => file.endsWith(".pb")))("%s", (file) => {
      const document = readFileSync(join(folder, file));
      const { apiVersion, kind } = openEnvelope(document);
      const known = { ...parseGroupVersion(apiVersion), kind };
      // Kinds that the version does not publish any more.
      const schema = release.definitions.schemaFor(known);
      if (schema === undefined) return;
      const json = JSON.parse(readFileSync(join(folder, file.replace(/pb$/, "json")), "utf8")) as object;
      expect(Buffer.from(encodeProtobufDocument(json, known, schema)).toString("hex")).toBe(document.toString("hex"));
    });
  },
);
