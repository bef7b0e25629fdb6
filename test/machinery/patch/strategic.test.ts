import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { encodeJson } from "../../../src/machinery/wire/json/json-encoder.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { deepEqual } from "../../../src/machinery/patch/json-values.js";
import { sortScalars } from "../../../src/machinery/patch/merge-lists.js";
import { isPatchConflictError } from "../../../src/machinery/patch/patch-error.js";
import { type PatchSchema, fromSchema } from "../../../src/machinery/patch/strategic-schema.js";
import { createThreeWayMergePatch, createTwoWayMergePatch } from "../../../src/machinery/patch/strategic-diff.js";
import { strategicMergePatch } from "../../../src/machinery/patch/strategic-merge.js";

const schemaOf = (group: string, version: string, kind: string): PatchSchema => {
  const schema = schemaFor({ group, version, kind });
  if (schema === undefined) throw new Error(`no facts of ${kind}`);
  return fromSchema(schema);
};
const pod = schemaOf("", "v1", "Pod");
const deployment = schemaOf("apps", "v1", "Deployment");

const containers = (...list: JsonObject[]): JsonObject => ({ spec: { containers: list } });
const c = (name: string, image: string): JsonObject => ({ name, image });

describe("a strategic merge patch", () => {
  test.each([
    {
      name: "merges list elements by their key and puts new ones first",
      original: containers(c("a", "1"), c("b", "1")),
      patch: containers(c("n", "1"), c("b", "2")),
      result: containers(c("n", "1"), c("a", "1"), c("b", "2")),
    },
    {
      name: "$patch: delete takes an element out",
      original: containers(c("a", "1"), c("b", "1")),
      patch: containers({ name: "a", $patch: "delete" }),
      result: containers(c("b", "1")),
    },
    {
      name: "$patch: replace in a list replaces the list",
      original: containers(c("a", "1"), c("b", "1")),
      patch: containers({ $patch: "replace" }, c("z", "1")),
      result: containers(c("z", "1")),
    },
    {
      name: "$patch: replace in a map replaces the map",
      original: { metadata: { labels: { a: "1", b: "2" } } },
      patch: { metadata: { labels: { $patch: "replace", c: "3" } } },
      result: { metadata: { labels: { c: "3" } } },
    },
    {
      name: "$patch: delete in a map empties it",
      original: { metadata: { labels: { a: "1" } } },
      patch: { metadata: { labels: { $patch: "delete" } } },
      result: { metadata: { labels: {} } },
    },
    {
      name: "$setElementOrder orders the list",
      original: containers(c("a", "1"), c("b", "1")),
      patch: { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
      result: containers(c("b", "1"), c("a", "1")),
    },
    {
      name: "$deleteFromPrimitiveList takes scalars out",
      original: { metadata: { finalizers: ["a", "b", "c"] } },
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["b", "x"] } },
      result: { metadata: { finalizers: ["a", "c"] } },
    },
    {
      name: "scalars merge as a set",
      original: { metadata: { finalizers: ["a", "b"] } },
      patch: { metadata: { finalizers: ["c", "a"] } },
      result: { metadata: { finalizers: ["c", "a", "b"] } },
    },
    {
      name: "$retainKeys drops what it does not name",
      original: { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
      patch: { spec: { volumes: [{ name: "v", hostPath: { path: "/x" }, $retainKeys: ["name", "hostPath"] }] } },
      result: { spec: { volumes: [{ name: "v", hostPath: { path: "/x" } }] } },
    },
    {
      name: "lists without a merge key are replaced",
      original: { spec: { tolerations: [{ key: "a" }] } },
      patch: { spec: { tolerations: [{ key: "b" }] } },
      result: { spec: { tolerations: [{ key: "b" }] } },
    },
    {
      name: "null removes",
      original: { metadata: { labels: { a: "1", b: "2" } } },
      patch: { metadata: { labels: { a: null, x: null } } },
      result: { metadata: { labels: { b: "2" } } },
    },
    {
      name: "directives of what is new are dropped",
      original: {},
      patch: containers(c("a", "1"), { name: "b", $patch: "delete" }),
      result: containers(c("a", "1")),
    },
  ])("$name", ({ original, patch, result }) => {
    const before = JSON.stringify([original, patch]);
    expect(strategicMergePatch(original, patch, pod)).toStrictEqual(result);
    expect(JSON.stringify([original, patch])).toBe(before);
  });

  test.each([
    {
      name: "an element without its merge key",
      original: containers(c("a", "1")),
      patch: containers({ image: "x" }),
      error: "map: map[image:x] does not contain declared merge key: name",
    },
    {
      name: "an unknown directive",
      original: { metadata: { labels: {} } },
      patch: { metadata: { labels: { $patch: "foo" } } },
      error: "unknown patch type: foo in map: map[$patch:foo]",
    },
    {
      name: "$patch: merge in a list",
      original: containers(c("a", "1")),
      patch: containers({ name: "a", $patch: "merge" }),
      error: "merging lists cannot yet be specified in the patch",
    },
    {
      name: "lists of mixed types",
      original: { metadata: { finalizers: ["a"] } },
      patch: { metadata: { finalizers: [1] } },
      error: "list element types are not identical: [[a] [1]]",
    },
    {
      name: "a $retainKeys that leaves out what is set",
      original: {},
      patch: { spec: { $retainKeys: ["a"], b: 1 } },
      inside: true,
      error: "invalid patch format of retainKeys",
    },
    {
      name: "a list out of its $setElementOrder",
      original: containers(c("a", "1")),
      patch: {
        spec: { containers: [c("b", "1"), c("a", "2")], "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] },
      },
      error:
        "The order in patch list:\n[map[image:1 name:b] map[image:2 name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    },
  ])("refuses $name", ({ original, patch, error, inside }) => {
    const target = inside === true ? { ...original, spec: {} } : original;
    expect(failure(() => strategicMergePatch(target as JsonObject, patch as JsonObject, pod))).toBe(error);
  });
});

describe("the strategic merge patch of kubectl apply", () => {
  const bytes = (original: JsonObject, modified: JsonObject, current: JsonObject): string =>
    encodeJson(createThreeWayMergePatch(original, modified, current, deployment, { overwrite: true }), {
      sortKeys: true,
    });
  const template = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });

  test("keeps what others added, deletes what the user removed, and states the order", () => {
    const original = template({ containers: [c("a", "1"), c("b", "1")] });
    const current = template({ containers: [c("x", "1"), c("a", "1"), c("b", "1")] });
    expect(bytes(original, template({ containers: [c("n", "1"), c("a", "2")] }), current)).toBe(
      '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"n"},{"name":"a"}],"containers":[{"image":"1","name":"n"},{"image":"2","name":"a"},{"$patch":"delete","name":"b"}]}}}}',
    );
  });

  test("states $retainKeys where one field excludes another", () => {
    const live = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
    expect(bytes(live, { spec: { strategy: { type: "Recreate" } } }, live)).toBe(
      '{"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":null,"type":"Recreate"}}}',
    );
  });

  test("matches ports of one number as kubectl does", () => {
    const ports = (...list: JsonObject[]): JsonObject => template({ containers: [{ name: "c", ports: list }] });
    const udp = { containerPort: 80, protocol: "UDP" };
    const tcp = { containerPort: 80, protocol: "TCP" };
    expect(bytes(ports(tcp, udp), ports(tcp, udp), ports(tcp, udp))).toBe("{}");
  });

  test("without overwriting reports a field changed on both sides as a conflict", () => {
    const make = (replicas: number): JsonObject => ({ spec: { replicas } });
    const act = (): unknown =>
      createThreeWayMergePatch(make(1), make(2), make(3), deployment, {
        overwrite: false,
        render: (patch) => encodeJson(patch),
      });
    expect(act).toThrow(expect.toSatisfy(isPatchConflictError));
    expect(failure(act)).toBe(
      'patch:\n{"spec":{"replicas":2}}\nconflicts with changes made from original to current:\n{"spec":{"replicas":3}}\n',
    );
  });

  test("refuses an unknown field only where something in it changed", () => {
    const made = (x: number): JsonObject => ({ spec: { nope: { x } } });
    expect(bytes(made(1), made(1), made(1))).toBe("{}");
    expect(() => bytes(made(1), made(2), made(1))).toThrow(
      'unable to find api field in struct DeploymentSpec for the json field "nope"',
    );
  });
});

const word = fc.constantFrom("a", "b", "c", "d", "e");
const labels = fc.dictionary(word, word, { maxKeys: 3, noNullPrototype: true });
const env = fc.uniqueArray(fc.record({ name: word, value: word }), { selector: (item) => item.name, maxLength: 4 });
const container = fc.record({ name: word, image: word, env, args: fc.array(word, { maxLength: 3 }) });
const list = fc.uniqueArray(container, { selector: (item) => item.name, maxLength: 4 });
const volume = fc.record(
  { name: word, emptyDir: fc.constant({}), hostPath: fc.record({ path: word }) },
  { requiredKeys: ["name"] },
);
const volumes = fc.uniqueArray(volume, { selector: (item) => item.name, maxLength: 3 });
const finalizers = fc.uniqueArray(word, { maxLength: 4 });
const somePod = fc.record({
  metadata: fc.record({ labels, finalizers }, { requiredKeys: [] }),
  spec: fc.record(
    { containers: list, volumes, nodeName: word, nodeSelector: labels },
    { requiredKeys: ["containers"] },
  ),
}) as fc.Arbitrary<unknown> as fc.Arbitrary<JsonObject>;

test("a strategic merge patch made of the difference of two random pods turns the first into the second", () => {
  fc.assert(
    fc.property(somePod, somePod, (a, b) => {
      const patch = createTwoWayMergePatch(a, b, pod);
      expect(same(strategicMergePatch(a, patch, pod), b), encodeJson(patch)).toBe(true);
      expect(createTwoWayMergePatch(b, b, pod).spec).toBeUndefined();
    }),
  );
});

test("kubectl apply's patch equals the two-way patch when nobody else has changed the object", () => {
  fc.assert(
    fc.property(somePod, somePod, (a, b) => {
      const patch = createThreeWayMergePatch(a, b, a, pod, { overwrite: false });
      expect(same(strategicMergePatch(a, patch, pod), b), encodeJson(patch)).toBe(true);
    }),
  );
});

/** But for the order of finalizers: kubectl does not see a list whose new order is the sorted one. */
function same(a: JsonObject, b: JsonObject): boolean {
  const sorted = (object: JsonObject): JsonObject => {
    const metadata = object["metadata"] as JsonObject;
    const { finalizers: found, ...rest } = metadata;
    return { ...object, metadata: Array.isArray(found) ? { ...rest, finalizers: sortScalars(found) } : rest };
  };
  return deepEqual(sorted(a), sorted(b));
}

function failure(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}
