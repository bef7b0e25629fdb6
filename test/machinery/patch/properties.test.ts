import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { encodeJson } from "../../../src/machinery/wire/json/json-encoder.js";
import { decodeObject } from "../../../src/machinery/wire/strict-decode.js";
import { parseGroupVersion } from "../../../src/machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/machinery/meta/json.js";
import { applyJsonPatch } from "../../../src/machinery/patch/json-patch.js";
import { deepEqual } from "../../../src/machinery/patch/json-values.js";
import { sortScalars } from "../../../src/machinery/patch/merge-lists.js";
import {
  applyMergePatch,
  createMergePatch,
  createThreeWayJsonMergePatch,
} from "../../../src/machinery/patch/merge-patch.js";
import { isPatchConflictError } from "../../../src/machinery/patch/patch-error.js";
import { createThreeWayMergePatch, createTwoWayMergePatch } from "../../../src/machinery/patch/strategic-diff.js";
import { strategicMergePatch } from "../../../src/machinery/patch/strategic-merge.js";
import { fromSchema } from "../../../src/machinery/patch/strategic-schema.js";
import type { Schema, StructSchema } from "../../../src/machinery/schema/schema.js";
import { arbitraryOf } from "../../helpers/arbitrary-object.js";

// For objects of every shape their types allow: a patch made of two objects makes the one of the other.

function schemaOf(apiVersion: string, kind: string): StructSchema {
  const schema = schemaFor({ ...parseGroupVersion(apiVersion), kind });
  if (schema === undefined) throw new Error(`no facts of ${kind}`);
  return schema;
}

/** managedFields are no concern of a patch that is made of two objects. */
const objects = (schema: StructSchema) => arbitraryOf(schema, { omit: ({ name }) => name === "managedFields" });

const kinds = [
  ["v1", "Pod"],
  ["apps/v1", "Deployment"],
  ["v1", "Service"],
  ["v1", "ServiceAccount"],
  ["v1", "Node"],
  ["batch/v1", "CronJob"],
] as const;

describe.each(kinds)("for random objects of the kind %s %s:", (apiVersion, kind) => {
  const schema = schemaOf(apiVersion, kind);
  const patchSchema = fromSchema(schema);
  const some = objects(schema);
  const stored = (object: JsonObject) => decodeObject(object, schema, { mode: "Ignore" }).object as JsonObject;
  const same = (a: JsonObject, b: JsonObject) => deepEqual(unordered(a, schema), unordered(b, schema));

  test("a JSON merge patch made of the difference of a and b turns a into b", () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        const patch = createMergePatch(a, b);
        expect(applyMergePatch(a, patch)).toStrictEqual(b);
        expect(createMergePatch(b, b)).toStrictEqual({});
      }),
    );
  });

  test("a JSON patch made of the difference of a and b turns a into b", () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        expect(applyJsonPatch(a, operations(a, b, ""))).toStrictEqual(b);
      }),
    );
  });

  test("a strategic merge patch made of the difference of a and b turns a into b", () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        const patch = createTwoWayMergePatch(a, b, patchSchema);
        expect(same(strategicMergePatch(a, patch, patchSchema), b), encodeJson(patch)).toBe(true);
        const nothing = createTwoWayMergePatch(b, b, patchSchema);
        expect(strategicMergePatch(b, nothing, patchSchema)).toStrictEqual(b);
      }),
    );
  });

  test("kubectl apply's patch turns a into b when nobody else has changed a", () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        const patch = createThreeWayMergePatch(a, b, a, patchSchema, { overwrite: false });
        expect(same(strategicMergePatch(a, patch, patchSchema), b), encodeJson(patch)).toBe(true);
      }),
    );
  });

  test("kubectl apply's patch keeps what others changed in a, and does nothing the second time", () => {
    fc.assert(
      fc.property(some, some, some, (original, modified, current) => {
        const patch = createThreeWayMergePatch(original, modified, current, patchSchema, { overwrite: true });
        // As a server stores it: a directive on something that was not there is dropped with the unknown fields.
        const applied = stored(strategicMergePatch(current, patch, patchSchema));
        const again = createThreeWayMergePatch(modified, modified, applied, patchSchema, { overwrite: true });
        expect(same(stored(strategicMergePatch(applied, again, patchSchema)), applied), encodeJson(again)).toBe(true);
        for (const field of Object.keys(current)) {
          if (field in modified || field in original) continue;
          expect(applied[field]).toStrictEqual(current[field]);
        }
      }),
    );
  });

  test("kubectl apply's JSON merge patch does nothing the second time", () => {
    fc.assert(
      fc.property(some, some, some, (original, modified, current) => {
        const patch = unlessInConflict(() => createThreeWayJsonMergePatch(original, modified, current));
        fc.pre(patch !== undefined);
        const applied = applyMergePatch(current, patch);
        expect(createThreeWayJsonMergePatch(modified, modified, applied)).toStrictEqual({});
      }),
    );
  });
});

/** kubectl refuses where a field is to be both set and removed. */
function unlessInConflict<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isPatchConflictError(error)) return undefined;
    throw error;
  }
}

/** An RFC 6902 patch. Kubernetes has no maker of these: its clients write them by hand. */
function operations(a: JsonValue, b: JsonValue, path: string): JsonValue[] {
  if (deepEqual(a, b)) return [];
  if (isJsonObject(a) && isJsonObject(b)) {
    const removed = Object.keys(a).filter((key) => !Object.hasOwn(b, key));
    return [
      ...removed.map((key) => ({ op: "remove", path: `${path}/${token(key)}` })),
      ...Object.entries(b).flatMap(([key, value]) =>
        Object.hasOwn(a, key)
          ? operations(a[key] as JsonValue, value, `${path}/${token(key)}`)
          : [{ op: "add", path: `${path}/${token(key)}`, value }],
      ),
    ];
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const shared = Math.min(a.length, b.length);
    return [
      ...a.slice(shared).map(() => ({ op: "remove", path: `${path}/-1` })),
      ...a.slice(0, shared).flatMap((item, index) => operations(item, b[index] as JsonValue, `${path}/${index}`)),
      ...b.slice(shared).map((value) => ({ op: "add", path: `${path}/-`, value })),
    ];
  }
  return [{ op: "replace", path, value: b }];
}

const token = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** Lists of scalars that merge, sorted: kubectl does not see that one has a new order when that is the sorted one. */
function unordered(value: JsonValue, schema: Schema): JsonValue {
  if (Array.isArray(value) && schema.type === "list") return value.map((item) => unordered(item, schema.items));
  if (!isJsonObject(value) || schema.type !== "struct") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      const field = schema.byName.get(name);
      if (field === undefined) return [name, held];
      const scalars = field.schema.type === "list" && field.schema.items.type === "scalar";
      const merges = scalars && field.patchStrategy?.includes("merge") === true;
      return [name, merges && Array.isArray(held) ? sortScalars(held) : unordered(held, field.schema)];
    }),
  );
}
