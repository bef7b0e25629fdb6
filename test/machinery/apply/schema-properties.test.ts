import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "../../../src/base/async/steps.js";
import { encodedView } from "../../../src/machinery/apply/encoded-view.js";
import { withoutNewTimesSteps } from "../../../src/machinery/apply/managed-fields.js";
import type { FieldManager } from "../../../src/machinery/apply/field-manager.js";
import { encodeJson } from "../../../src/machinery/wire/json/json-encoder.js";
import type { GroupVersionKind } from "../../../src/machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/machinery/meta/json.js";
import { deepEqual, deepEqualSteps } from "../../../src/machinery/patch/json-values.js";
import type { Field, ListSchema, Schema, StructSchema } from "../../../src/machinery/schema/schema.js";
import { arbitraryOf } from "../../helpers/arbitrary-object.js";
import { CONFIG_MAP, DEPLOYMENT, fieldManagerOf, POD, SERVICE, structOfKind } from "./kinds.js";

// For configurations of every shape their types allow. Objects are as a server would store them: with a uid, and with
// the zero structs that Go writes.

const SERVICE_ACCOUNT = { group: "", version: "v1", kind: "ServiceAccount" };
const NODE = { group: "", version: "v1", kind: "Node" };

/** Nobody owns these, so that they cannot be taken back. */
const LEFT_OUT = new Set([
  "name",
  "namespace",
  "managedFields",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "selfLink",
]);
const configurations = (schema: StructSchema) =>
  arbitraryOf(schema, { omit: ({ name }, struct) => struct.name === "ObjectMeta" && LEFT_OUT.has(name) });

describe.each([
  ["Pod", POD],
  ["Deployment", DEPLOYMENT],
  ["Service", SERVICE],
  ["ServiceAccount", SERVICE_ACCOUNT],
  ["ConfigMap", CONFIG_MAP],
  ["Node", NODE],
])("server-side apply of random objects of the kind %s", (_, kind: GroupVersionKind) => {
  const schema = structOfKind(kind);
  // With what Go writes of structs that are empty: two who apply one value would else not agree on it.
  const some = configurations(schema).map((object) => encodedView(object, schema));
  const manager = (now = "2026-01-01T00:00:00Z"): FieldManager => fieldManagerOf(kind, { now: () => now });
  const stored = (object: JsonObject): JsonObject => {
    const metadata = object["metadata"] as JsonObject | undefined;
    return encodedView({ ...object, metadata: { ...metadata, uid: "u1" } }, schema);
  };
  const apply = (live: JsonObject | undefined, applied: JsonObject, name: string, force = false): JsonObject =>
    stored(manager().apply(live, applied, name, force));

  test("changes nothing the second time, managedFields and their times included", () => {
    fc.assert(
      fc.property(some, some, (theirs, own) => {
        const live = apply(apply(undefined, theirs, "they"), own, "me", true);
        const again = stored(manager("2026-02-02T00:00:00Z").apply(live, own, "me", false));
        expect(settled(live, again)).toEqual(live);
      }),
    );
  });

  test("has the same result in any order of appliers that agree", () => {
    fc.assert(
      fc.property(some, decisions, decisions, (whole, left, right) => {
        const [one, two] = [part(whole, schema, left), part(whole, schema, right)];
        // Who owns nothing leaves no trace, and the next finds an object that was there before anybody applied it.
        fc.pre([one, two].every((applied) => ownersOf(apply(undefined, applied, "me")).size > 0));
        const forth = apply(apply(undefined, one, "one"), two, "two");
        const back = apply(apply(undefined, two, "two"), one, "one");
        expect(plain(forth, schema)).toEqual(plain(back, schema));
        expect(ownersOf(forth)).toEqual(ownersOf(back));
      }),
    );
  });

  test("removes what an applier leaves out, and keeps what another applied", () => {
    fc.assert(
      fc.property(some, decisions, decisions, (whole, left, right) => {
        const [kept, theirs] = [part(whole, schema, left), part(whole, schema, right)];
        const alone = apply(apply(undefined, whole, "me"), kept, "me");
        expect(plain(alone, schema)).toEqual(plain(apply(undefined, kept, "me"), schema));
        const shared = apply(apply(apply(undefined, theirs, "they"), whole, "me"), kept, "me");
        const both = apply(apply(undefined, theirs, "they"), kept, "me");
        expect(plain(shared, schema)).toEqual(plain(both, schema));
      }),
    );
  });

  test("and an update without changes leaves the owners unchanged, also when repeated", () => {
    fc.assert(
      fc.property(some, some, (applied, next) => {
        const live = apply(undefined, applied, "me");
        const entries = (live["metadata"] as JsonObject)["managedFields"];
        expect(manager("2026-02-02T00:00:00Z").update(live, live, "you") ?? []).toEqual(entries ?? []);
        const updated = stored({ ...next, metadata: { ...(next["metadata"] as JsonObject), managedFields: null } });
        const after = manager().update(live, updated, "you", entries);
        const again = manager("2026-02-02T00:00:00Z").update(updated, updated, "you", after);
        expect(again).toEqual(after);
      }),
    );
  });
});

/** As a server keeps it: where only times are new, nothing is. */
function settled(before: JsonObject, after: JsonObject): JsonObject {
  const [old, now] = [before, after].map((object) => object["metadata"] as JsonObject) as [JsonObject, JsonObject];
  const bare = (object: JsonObject, metadata: JsonObject): JsonObject => ({
    ...object,
    metadata: { ...metadata, managedFields: null },
  });
  const managedFields = atOnce(
    withoutNewTimesSteps(
      old["managedFields"] as JsonObject[] | undefined,
      now["managedFields"] as JsonObject[] | undefined,
      deepEqualSteps,
      () => deepEqualSteps(bare(before, old), bare(after, now)),
    ),
  );
  return managedFields === undefined ? after : { ...after, metadata: { ...now, managedFields } };
}

/** Seeds of the choices that {@link part} makes. */
const decisions = fc.integer();

/** A part of an object that has the same values: some fields, some items by their keys, and atomic values whole. */
function part(object: JsonObject, schema: StructSchema, seed: number): JsonObject {
  let state = seed;
  const chosen = (): boolean => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) & 1) === 0;
  };
  const ofStruct = (value: JsonObject, type: StructSchema, always: readonly string[]): JsonObject =>
    Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => always.includes(name) || chosen())
        .map(([name, held]) => [name, held, ofField(held, type.byName.get(name) as Field)] as const)
        // What was emptied is another value than what it was.
        .filter(([, held, left]) => !isEmpty(left) || isEmpty(held))
        .map(([name, , left]) => [name, left]),
    );
  const ofField = (value: JsonValue, field: Field): JsonValue => {
    const keys = keysOf(field);
    if (keys !== undefined && Array.isArray(value)) {
      const items = value.filter(chosen);
      const item = (field.schema as ListSchema).items;
      if (item.type !== "struct" || item.mapType === "atomic") return items;
      return items.map((one) => ofStruct(one as JsonObject, item, keys));
    }
    return isAtomic(field) ? value : ofValue(value, field.schema);
  };
  const ofValue = (value: JsonValue, type: Schema): JsonValue => {
    if (!isJsonObject(value) || type.type === "scalar" || type.type === "list") return value;
    if (type.mapType === "atomic") return value;
    if (type.type === "struct") return ofStruct(value, type, []);
    return Object.fromEntries(Object.entries(value).filter(chosen));
  };
  return ofStruct(object, schema, ["apiVersion", "kind"]);
}

const isEmpty = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The keys of a list's items; none for a set, undefined for a list that is one value. */
function keysOf(field: Field): readonly string[] | undefined {
  const { schema } = field;
  if (schema.type !== "list") return undefined;
  if (schema.listType === "map") return schema.listMapKeys ?? [];
  if (schema.listType === "set") return [];
  if (schema.listType === "atomic" || field.patchStrategy?.includes("merge") !== true) return undefined;
  return field.patchMergeKey === undefined ? [] : [field.patchMergeKey];
}

const isAtomic = ({ mapType, schema }: Field): boolean =>
  mapType === "atomic" ||
  (mapType === undefined && schema.type !== "scalar" && schema.type !== "list" && schema.mapType === "atomic");

/** Items of lists with keys, and of sets, in one order: the order of appliers is theirs. */
function unordered(value: JsonValue, schema: Schema): JsonValue {
  if (Array.isArray(value) && schema.type === "list") return value.map((item) => unordered(item, schema.items));
  if (!isJsonObject(value) || schema.type !== "struct") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      const field = schema.byName.get(name) as Field;
      const inner = unordered(held, field.schema);
      const sorts = Array.isArray(inner) && keysOf(field) !== undefined;
      return [name, sorts ? inner.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : inner];
    }),
  );
}

const textOf = (value: JsonValue): string => encodeJson(value, { sortKeys: true });

/** The object without its managers and without what is empty: an applier that takes back what it made leaves it so. */
function plain(object: JsonObject, schema: StructSchema): JsonValue {
  const { managedFields: _, ...metadata } = object["metadata"] as JsonObject;
  return withoutEmpty(unordered({ ...object, metadata }, schema)) ?? {};
}

/** Who owns what; times aside, for who comes second may change nothing. */
function ownersOf(object: JsonObject): Map<JsonValue | undefined, JsonValue | undefined> {
  const entries = ((object["metadata"] as JsonObject)["managedFields"] ?? []) as JsonObject[];
  return new Map(entries.map((entry) => [entry["manager"], entry["fieldsV1"]]));
}

function withoutEmpty(value: JsonValue): JsonValue | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, held]) => {
    const kept = withoutEmpty(held);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

test("the test's random part of an object has only values of the whole object", () => {
  const schema = structOfKind(POD);
  fc.assert(
    fc.property(configurations(schema), decisions, (whole, seed) => {
      expect(part(whole, schema, seed)["kind"]).toBe("Pod");
      expect(deepEqual(part(whole, schema, seed), part(whole, schema, seed))).toBe(true);
    }),
  );
});
