import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { ScalarSchema, Schema } from "../../../src/machinery/schema/schema.js";
import { call } from "../../helpers/api-caller.js";
import { isInvalid } from "../../../src/machinery/errors/status-error.js";

// What a server is by default.
const release = await releaseOf();

/** A small generator of numbers in [0, 1), the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const MERGE = { type: "application/merge-patch+json" };
const ROUNDS = Number(process.env["ANY_OBJECT_ROUNDS"] ?? 4);

const WORDS: Readonly<Record<ScalarSchema["scalar"], readonly string[]>> = {
  string: [
    '""',
    '"a"',
    '"None"',
    '"10.96.0.9"',
    '"a.b/c"',
    '"*"',
    '"__proto__"',
    '"\\u00e9\\u0000"',
    '"Always"',
    "null",
  ],
  bool: ["true", "false", "null"],
  int32: ["0", "1", "-1", "2147483647", "-2147483648", "80", "null"],
  int64: ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "null"],
  float64: ["0", "1.5", "-1e300", "null"],
  bytes: ['""', '"AAEC"', '"/w=="', "null"],
  time: ['"2026-01-02T03:04:05Z"', '"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59+14:00"', "null"],
  microTime: ['"2026-01-02T03:04:05.000006Z"', "null"],
  duration: ['"1h"', '"-1ns"', "null"],
  quantity: ['"1"', '"-1m"', '"1e1000"', '"0"', '"9223372036854775807Ei"', '"0.000000001n"', "1", "null"],
  intOrString: ["80", '"http"', '"50%"', '"-1%"', '"%"', "-1", "null"],
  any: ["{}", '{"a":[1]}', "null", "1"],
};

const IDENTITY: ReadonlySet<string> = new Set(["kind", "apiVersion", "metadata"]);

/** JSON of a value that a schema allows, edges of its types included; sparser the deeper it lies. */
function valueOf(schema: Schema, random: () => number, depth = 0): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "null";
  switch (schema.type) {
    case "scalar": {
      const { enum: known = [] } = schema;
      return known.length > 0 && random() < 0.8 ? JSON.stringify(pick(known)) : pick(WORDS[schema.scalar]);
    }
    case "list":
      if (random() < 0.1) return pick(["null", "[]"]);
      return `[${Array.from({ length: 1 + Math.floor(random() * 2) }, () => valueOf(schema.items, random, depth + 1)).join()}]`;
    case "map":
      if (random() < 0.1) return pick(["null", "{}"]);
      return `{${["a", "cpu", "constructor", "__proto__"]
        .filter(() => random() < 0.5)
        .map((key) => `${JSON.stringify(key)}:${valueOf(schema.values, random, depth + 1)}`)
        .join()}}`;
    case "struct": {
      if (depth > 12 || random() < 0.03) return pick(["null", "{}"]);
      const chance = Math.max(0.08, 0.6 - depth * 0.08);
      const fields = schema.fields.filter(
        ({ name, required }) =>
          !(depth === 0 && IDENTITY.has(name)) && (random() < chance || (required && random() < 0.9)),
      );
      return `{${fields.map((field) => `${JSON.stringify(field.name)}:${valueOf(field.schema, random, depth + 1)}`).join()}}`;
    }
  }
}

let cluster: Cluster;
let api: Transport;
const faults: unknown[] = [];

beforeAll(async () => {
  cluster = await startCluster({ port: false, onError: (error) => void (isRefusedWrite(error) || faults.push(error)) });
  api = cluster.transport();
});

/** What was stored of an old server's fields may be invalid: then the write of a controller is refused, too. */
const isRefusedWrite = (error: unknown): boolean => isInvalid((error as Error).cause);

afterAll(() => cluster.close());

const creatable = release.servedResources().filter(({ verbs }) => verbs.includes("create") && verbs.includes("patch"));

test.each(creatable.map((facts) => [`${facts.groupVersion} ${facts.name}`, facts] as const))(
  "a create of a random %s is stored or refused, and never an internal error",
  async (id, facts) => {
    const random = numbers(id.length * 7919 + id.charCodeAt(id.length - 2) * 31);
    const schema = release.definitions.schemaFor(facts);
    if (schema === undefined) throw new Error(`no schema for ${id}`);
    const root = facts.group === "" ? `/api/${facts.version}` : `/apis/${facts.groupVersion}`;
    const collection = `${root}/${facts.namespaced ? "namespaces/default/" : ""}${facts.name}`;
    const named = (name: string) => {
      const rest = valueOf(schema, random).slice(1);
      return rest.startsWith('"') ? `{"metadata":{"name":"${name}"},${rest}` : `{"metadata":{"name":"${name}"}}`;
    };
    for (let round = 0; round < ROUNDS; round++) {
      const name = `any-${round}`;
      const own = `${collection}/${name}`;
      const bare = await call(api, "POST", collection, { metadata: { name } });
      const full = await call(api, "POST", collection, named(bare.status === 201 ? `full-${round}` : name));
      const answers = [bare, full];
      for (const path of [own, `${own}/status`]) answers.push(await call(api, "PATCH", path, named(name), MERGE));
      answers.push(await call(api, "PUT", own, named(name)));
      answers.push(await call(api, "GET", collection, undefined, { accept: TABLE }));
      const read = await call(api, "GET", own);
      if (read.status === 200) {
        const again = await call(api, "PUT", own, read.text);
        answers.push(again);
        if (again.status === 200) expect(again.text).toBe(read.text);
      }
      expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
    }
    expect(faults.splice(0)).toEqual([]);
  },
);
