import { describe, expect, test } from "vitest";
import { schemaFor } from "../../src/api/facts/index.js";
import { sortSteps } from "../../src/base/async/sort-steps.js";
import type { Steps } from "../../src/base/async/steps.js";
import { compare, compareSteps } from "../../src/machinery/apply/compare.js";
import { encodedView } from "../../src/machinery/apply/encoded-view.js";
import { sorted, sortedSteps } from "../../src/machinery/apply/field-set.js";
import { toFieldSet } from "../../src/machinery/apply/to-field-set.js";
import { describe as typeOf } from "../../src/machinery/apply/type-descriptor.js";
import { decodeJsonSteps, decodeJson } from "../../src/machinery/wire/json/json-decoder.js";
import { encodeObject } from "../../src/machinery/wire/encode.js";
import { encodeObjectSteps } from "../../src/machinery/wire/encode-steps.js";
import { decodeObject, decodeObjectSteps } from "../../src/machinery/wire/strict-decode.js";
import type { JsonObject, JsonValue } from "../../src/machinery/meta/json.js";
import type { StructSchema } from "../../src/machinery/schema/schema.js";

// What works in steps yields in between, and comes to the same as what works at once.

function stepped<T>(steps: Steps<T>): { readonly result: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, pauses };
  }
}

function schemaOf(kind: string): StructSchema {
  const schema = schemaFor({ group: "", version: "v1", kind });
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  return schema;
}

const many = <T>(make: (at: number) => T): T[] => Array.from({ length: 4000 }, (_, at) => make(at));

const env = many((at) => ({ name: `VAR${(at * 7919) % 4000}`, value: at % 3 === 0 ? "" : `value ${at}` }));
const data = Object.fromEntries(many((at) => [`key${(at * 7919) % 4000}`, at % 5 === 0 ? null : `é<${at}>`]));
const finalizers = many((at) => `example.com/f${(at * 7919) % 4000}`);

/** Objects of many values, as a client may send them. */
const LONG: readonly (readonly [title: string, kind: string, value: JsonObject])[] = [
  ["a map of many keys", "ConfigMap", { metadata: { name: "m" }, data }],
  ["many labels", "ConfigMap", { metadata: { name: "m", labels: data }, immutable: true }],
  ["a list of many texts", "ConfigMap", { metadata: { name: "m", finalizers }, data: {} }],
  ["a long list in a short one", "Pod", { spec: { containers: [{ name: "a" }, { name: "c", env }, { name: "b" }] } }],
  ["many items that are alike", "Pod", { spec: { containers: many(() => ({ name: "same", tty: true })) } }],
  [
    "an atomic list",
    "Endpoints",
    { subsets: [{ addresses: many((at) => ({ ip: `10.0.${at >> 8}.${at & 255}` })), ports: [{ port: 80 }] }] },
  ],
  ["unknown fields", "Pod", { spec: { containers: many((at) => ({ name: `c${at}`, nonsense: at })) }, zzz: 1 }],
  ["JSON as a value", "Event", { series: null, metadata: { annotations: data }, involvedObject: { kind: "Pod" } }],
];

describe.each(LONG)("work in time slices has the same result as at once for %s, which", (_title, kind, value) => {
  const schema = schemaOf(kind);
  const type = typeOf(schema);
  const { object } = decodeObject(value, schema);
  const view = encodedView(object, schema);

  test("is read from JSON", () => {
    const bytes = Buffer.from(JSON.stringify(value, undefined, 4));
    const { result, pauses } = stepped(decodeJsonSteps(bytes, { maxDepth: 1000 }));
    expect(result).toEqual(decodeJson(bytes));
    expect(JSON.stringify(result.value)).toBe(JSON.stringify(value));
    expect(pauses).toBeGreaterThan(5);
  });

  test("is decoded", () => {
    const { result, pauses } = stepped(decodeObjectSteps(value, schema));
    expect(result).toEqual(decodeObject(value, schema));
    expect(pauses).toBeGreaterThan(5);
  });

  test("is encoded", () => {
    const { result, pauses } = stepped(encodeObjectSteps(object, schema));
    expect(Buffer.from(result).toString()).toBe(Buffer.from(encodeObject(object, schema)).toString());
    expect(pauses).toBeGreaterThan(5);
  });

  test.each([
    ["nothing", {} as JsonObject],
    ["a part of it", half(view)],
  ])("is compared with %s", (_other, other) => {
    expect(stepped(compareSteps(other, view, type)).result).toEqual(compare(other, view, type));
    expect(stepped(compareSteps(view, other, type)).result).toEqual(compare(view, other, type));
  });

  test("has its set of fields sorted", () => {
    const set = toFieldSet(view, type);
    expect(JSON.stringify(stepped(sortedSteps(set)).result)).toBe(JSON.stringify(sorted(set)));
  });
});

/** The value without every other entry of its lists and maps. */
function half(value: JsonObject): JsonObject {
  const visit = (one: JsonValue): JsonValue => {
    if (Array.isArray(one)) return one.filter((_, at) => at % 2 === 0).map(visit);
    if (typeof one !== "object" || one === null) return one;
    const entries = Object.entries(one);
    const kept = entries.length < 20 ? entries : entries.filter((_, at) => at % 2 === 0);
    return Object.fromEntries(kept.map(([key, held]) => [key, visit(held)]));
  };
  return visit(value) as JsonObject;
}

test("decoding in time slices reports a value that does not fit as decoding at once does", () => {
  const schema = schemaOf("Pod");
  const wrong = {
    spec: { containers: [{ name: "c", env: [...env, { name: 5 }, { value: [] }] }], hostNetwork: "yes" },
  };
  const failure = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      return String(error);
    }
    return "none";
  };
  const told = failure(() => stepped(decodeObjectSteps(wrong, schema)));
  expect(told).toBe(failure(() => decodeObject(wrong, schema)));
  expect(told).toContain("Go struct field EnvVar.spec.containers.env.name of type string");
});

test("parsing JSON in time slices records repeated keys of a long text, and keeps integers exact", () => {
  const text = `{${many((at) => `"key${at}":${at}`).join()},"key7":9007199254740993,"x":"${"y".repeat(70_000)}"}`;
  const { result } = stepped(decodeJsonSteps(Buffer.from(text), { maxDepth: 10 }));
  expect((result.value as JsonObject)["key7"]).toBe(9007199254740993n);
  expect([...(result.duplicates?.values() ?? [])][0]?.filter((key) => key === "key7")).toHaveLength(2);
});

test("parsing JSON in time slices refuses invalid text in the words of encoding/json", () => {
  const text = `{${many((at) => `"long enough to be read in steps ${at}":1`).join()}}}`;
  const read = () => stepped(decodeJsonSteps(Buffer.from(text), { maxDepth: 10 }));
  expect(read).toThrow("invalid character '}' after top-level value");
});

test("sorting in time slices keeps the order of equal items", () => {
  const items = many((at) => ({ key: (at * 31) % 17, at }));
  const { result } = stepped(sortSteps(items, (a, b) => a.key - b.key));
  expect(result).toEqual(items.toSorted((a, b) => a.key - b.key));
});
