import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install as installDefinition } from "../../helpers/custom-definitions.js";
import { inShortTurns } from "../../helpers/short-turns.js";

// Rules that take long: the server ends them by their cost, and answers other requests meanwhile.

const integers = (maxItems: number): JsonObject => ({ type: "array", items: { type: "integer" }, maxItems });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const loops = (step: string): string => `self.l.all(x, self.l.all(y, ${step}))`;

function definition(group: string, properties: JsonObject, rules: readonly JsonObject[]): JsonObject {
  const spec = { type: "object", properties, "x-kubernetes-validations": rules as JsonObject[] };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return boxDefinition(group, [{ name: "v1", served: true, storage: true, schema }]);
}

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
});
afterAll(() => cluster.close());

async function install(...given: Parameters<typeof definition>): Promise<string> {
  await installDefinition(api, definition(...given));
  return boxesOf(given[0]);
}

const EXCEEDED = "operation cancelled: actual cost limit exceeded";
const NO_MORE = "no further validation rules will be run due to call cost exceeds limit for";

const SLOW: readonly (readonly [
  what: string,
  group: string,
  properties: JsonObject,
  rule: JsonObject,
  spec: JsonObject,
  error: string,
])[] = [
  [
    "nested macros over a large list",
    "macros.example.com",
    { l: integers(600) },
    { rule: loops("x + y >= 0") },
    { l: numbers(600) },
    `Invalid value: "object": '${EXCEEDED}': ${NO_MORE} rule: ${loops("x + y >= 0")}`,
  ],
  [
    "a messageExpression that never ends",
    "message.example.com",
    { l: integers(600) },
    { rule: "self.l.size() == 0", messageExpression: `${loops("x + y >= 0")} ? 'a' : 'b'` },
    { l: numbers(600) },
    `Invalid value: "object": ${NO_MORE} messageExpression: "${loops("x + y >= 0")} ? 'a' : 'b'"`,
  ],
  [
    "a pattern that other engines never match",
    "pattern.example.com",
    { s: { type: "string", maxLength: 100_000 } },
    { rule: "self.s.matches('^(a+)+(a|aa)+$')" },
    { s: `${"a".repeat(99_000)}!` },
    "Invalid value: failed rule: self.s.matches('^(a+)+(a|aa)+$')",
  ],
  [
    "lists that are compared again and again",
    "compare.example.com",
    { l: integers(2000), m: integers(2000) },
    { rule: "self.l.all(x, self.l == self.m)" },
    { l: numbers(2000), m: numbers(2000) },
    `Invalid value: "object": 'operation interrupted': ${NO_MORE} rule: self.l.all(x, self.l == self.m)`,
  ],
];

test.each(SLOW)(
  "an object with %s is refused without holding the event loop for 50 ms of calibrated work",
  async (_what, group, properties, rule, spec, error) => {
    const boxes = await install(group, properties, [rule]);
    const write = () => call(api, "POST", boxes, { metadata: { name: "a" }, spec });
    // The first evaluations run before the code is compiled.
    await write();
    await write();
    const refused = await inShortTurns(write);
    expect([refused.status, refused.at("details.causes.0.message")]).toEqual([422, error]);
  },
);

test("CEL rules that cost more together than an object may are ended, while other requests are answered", async () => {
  const rules = numbers(30).map((at) => ({ rule: loops(`x + y >= -${at}`) }));
  const boxes = await install("budget.example.com", { l: integers(330) }, rules);
  const order: string[] = [];
  const slow = call(api, "POST", boxes, { metadata: { name: "a" }, spec: { l: numbers(330) } });
  const ended = slow.then((answer) => (order.push("slow"), answer));
  for (let at = 0; at < 5; at++) {
    await call(api, "GET", "/api/v1/namespaces/default");
    order.push("short");
  }
  expect((await ended).at("details.causes.0.message")).toBe(
    'Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
  );
  expect(order).toEqual(["short", "short", "short", "short", "short", "slow"]);
});

test("a definition with a thousand CEL rules is validated without holding the event loop for 50 ms of calibrated work", async () => {
  const rules = (first: number) =>
    numbers(1000).map((at) => ({ rule: `self.l.all(x, x > ${at + first}) || self.l.size() == ${at}` }));
  let written = 0;
  const write = () => {
    const body = definition("many.example.com", { l: integers(10) }, rules(++written));
    return call(api, "POST", `${DEFINITIONS}?dryRun=All`, body);
  };
  await write();
  const accepted = await inShortTurns(write);
  expect(accepted.status).toBe(201);
});
