import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AdmissionPlugin } from "../../../../src/server/admission/plugin.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { configure, CONFIG_MAPS } from "../../../helpers/configured-webhooks.js";
import {
  allow,
  type AnswerCall,
  patch,
  startWebhookServer,
  type WebhookServer,
} from "../../../helpers/webhook-server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const MERGE = "application/merge-patch+json";
const INTERNAL = "Internal error occurred: ";

let server: AdmittingServer;
let hooks: WebhookServer;
/** A plugin before the webhooks that changes an object in its second round, where a test wants it to. */
let late: AdmissionPlugin["admit"];

beforeAll(async () => {
  const plugin: AdmissionPlugin = { name: "Late", admit: (attributes, context) => late?.(attributes, context) };
  server = await admittingServer({ plugins: [{ plugin, before: "Priority" }] });
  hooks = await startWebhookServer();
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

beforeEach(async () => {
  late = undefined;
  hooks.calls.length = 0;
  await call(server.api, "DELETE", MAPS);
});

const operation = (op: string, path: string, value?: unknown) => ({ op, path, ...(value !== undefined && { value }) });

describe("the patch of a mutating admission webhook", () => {
  const created = { metadata: { name: "a", labels: { l: "1" } }, data: { a: "1" } };
  const create = async (operations: unknown, body: object = created) => {
    const clientConfig = hooks.on("/hook", (given) => patch(given, operations));
    await using _ = await configure(server.api, "mutating", [{ clientConfig }]);
    return await call(server.api, "POST", MAPS, body);
  };

  const applied: readonly (readonly [what: string, operations: unknown, data: object])[] = [
    ["no operation", [], { a: "1" }],
    ["add", [operation("add", "/data/b", "2")], { a: "1", b: "2" }],
    ["replace", [operation("replace", "/data/a", "2")], { a: "2" }],
    ["remove", [operation("add", "/data/b", "2"), operation("remove", "/data/a")], { b: "2" }],
    ["move", [{ op: "move", from: "/data/a", path: "/data/b" }], { b: "1" }],
    ["copy", [{ op: "copy", from: "/data/a", path: "/data/b" }], { a: "1", b: "1" }],
    ["test", [operation("test", "/data/a", "1"), operation("add", "/data/b", "2")], { a: "1", b: "2" }],
    ["an unknown field", [operation("add", "/nonsense", "2")], { a: "1" }],
    ["escapes", [operation("add", "/data/a~1b", "2")], { a: "1", "a/b": "2" }],
  ];
  test.each(applied)("may contain %s", async (_, operations, data) => {
    // The key with a slash is no valid one: what refuses it is validation, which comes after.
    const answer = await create(operations);
    if ("a/b" in data) expect(answer.at("message")).toContain("data[a/b]: Invalid value");
    else expect([answer.status, answer.at("data")]).toEqual([201, data]);
    expect(answer.text).not.toContain("nonsense");
  });

  const failing: readonly (readonly [what: string, operations: unknown, message: string])[] = [
    ["a test that fails", [operation("test", "/data/a", "2")], `${INTERNAL}testing value /data/a failed: test failed`],
    [
      "a path that is missing",
      [operation("add", "/x/y", 1)],
      `${INTERNAL}add operation does not apply: doc is missing path: "/x/y": missing value`,
    ],
    [
      "a field to remove that is missing",
      [operation("remove", "/data/x")],
      `${INTERNAL}error in remove for path: '/data/x': Unable to remove nonexistent key: x: missing value`,
    ],
    ["an unknown operation", [operation("increase", "/data/a")], `${INTERNAL}Unexpected kind: increase`],
    [
      "a value of a wrong type",
      [operation("add", "/data/a", 1)],
      `${INTERNAL}json: cannot unmarshal number into Go struct field ConfigMap.data of type string`,
    ],
    [
      "another kind",
      [operation("replace", "/kind", "Endpoints")],
      `${INTERNAL}converting (v1.Endpoints) to (core.ConfigMap): unknown conversion`,
    ],
  ];
  test.each(failing)("fails the request for %s", async (_, operations, message) => {
    const { status, at } = await create(operations);
    expect([status, at("message")]).toEqual([500, message]);
  });

  test("may not rename the object in an update", async () => {
    await done(server.api, "POST", MAPS, created);
    const clientConfig = hooks.on("/hook", (given) => patch(given, [operation("replace", "/metadata/name", "b")]));
    await using _ = await configure(server.api, "mutating", [{ clientConfig }]);
    const { status } = await call(server.api, "PATCH", `${MAPS}/a`, { data: { b: "2" } }, { type: MERGE });
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await call(server.api, "GET", `${MAPS}/a`)).at("data")).toEqual({ a: "1" });
  });

  test("is refused for a delete, and the object stays", async () => {
    await done(server.api, "POST", MAPS, created);
    const clientConfig = hooks.on("/hook", (given) => patch(given, [operation("add", "/data/b", "2")]));
    await using _ = await configure(server.api, "mutating", [
      { clientConfig, rules: [{ ...CONFIG_MAPS, operations: ["DELETE"] }] },
    ]);
    const { status, at } = await call(server.api, "DELETE", `${MAPS}/a`);
    expect([status, at("message")]).toEqual([
      500,
      `${INTERNAL}admission webhook "one.webhook.test" attempted to modify the object, which is not supported for this operation`,
    ]);
    expect((await call(server.api, "GET", `${MAPS}/a`)).status).toBe(200);
  });

  test("is followed by defaulting and validation", async () => {
    const container = { name: "side", image: "side:1" };
    const clientConfig = hooks.on("/hook", (given) =>
      patch(given, [operation("add", "/spec/containers/-", container)]),
    );
    await using _ = await configure(server.api, "mutating", [
      { clientConfig, rules: [{ ...CONFIG_MAPS, resources: ["pods"] }] },
    ]);
    const spec = { containers: [{ name: "main", image: "i" }] };
    const pod = await done(server.api, "POST", PODS, { metadata: { name: "p" }, spec });
    expect(pod.at("spec.containers.1")).toMatchObject({
      ...container,
      imagePullPolicy: "IfNotPresent",
      terminationMessagePath: "/dev/termination-log",
    });
    hooks.on("/hook", (given) => patch(given, [operation("add", "/spec/containers/-", { name: "main", image: "i" })]));
    const invalid = await call(server.api, "POST", PODS, { metadata: { name: "q" }, spec });
    expect([invalid.status, invalid.at("message")]).toEqual([
      422,
      'Pod "q" is invalid: spec.containers[1].name: Duplicate value: "main"',
    ]);
  });

  test("is applied in the version that the webhook saw", async () => {
    const rules = [
      { ...CONFIG_MAPS, apiGroups: ["autoscaling"], apiVersions: ["v1"], resources: ["horizontalpodautoscalers"] },
    ];
    const clientConfig = hooks.on("/hook", (given) =>
      patch(given, [operation("add", "/spec/targetCPUUtilizationPercentage", 42)]),
    );
    await using _ = await configure(server.api, "mutating", [{ clientConfig, rules }]);
    const scaler = {
      metadata: { name: "s" },
      spec: { scaleTargetRef: { kind: "Deployment", name: "app" }, maxReplicas: 3 },
    };
    const made = await done(
      server.api,
      "POST",
      "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
      scaler,
    );
    expect(made.at("spec.metrics.0.resource.target")).toEqual({ type: "Utilization", averageUtilization: 42 });
  });

  test("changes the scale when the webhook sees a Scale", async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const apps = "/apis/apps/v1/namespaces/default/deployments";
    const deployment = { metadata: { name: "app" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
    await done(server.api, "POST", apps, deployment);
    const clientConfig = hooks.on("/hook", (given) => patch(given, [operation("replace", "/spec/replicas", 7)]));
    const rules = [{ ...CONFIG_MAPS, apiGroups: ["apps"], resources: ["deployments/scale"] }];
    await using _ = await configure(server.api, "mutating", [{ clientConfig, rules }]);
    await done(server.api, "PATCH", `${apps}/app/scale`, { spec: { replicas: 2 } }, MERGE);
    expect((await call(server.api, "GET", `${apps}/app`)).at("spec.replicas")).toBe(7);
  });

  test("cannot write invalid managedFields, for which the client gets a warning", async () => {
    const { headers, at } = await create([operation("add", "/metadata/managedFields/0/operation", "Nonsense")]);
    expect(at("metadata.managedFields.0.operation")).toBe("Update");
    expect(headers["warning"]).toEqual([
      '299 - ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: operation must be `Apply` or `Update`"',
    ]);
  });

  test("may have ten thousand operations", async () => {
    const operations = Array.from({ length: 12_000 }, (_, index) => operation("add", `/data/k${index}`, "v"));
    const answer = await create(operations);
    expect(Object.keys(answer.at("data") as object)).toHaveLength(12_001);
  });
});

describe("several mutating admission webhooks", () => {
  const add =
    (key: string): AnswerCall =>
    (given) =>
      patch(given, [operation("add", `/data/${key}`, "x")]);
  const addOnce =
    (key: string): AnswerCall =>
    (given) => {
      const { data } = given.request["object"] as { data: Record<string, string> };
      return key in data ? allow(given) : add(key)(given, undefined as never);
    };
  const hook = (name: string, answer: AnswerCall, reinvocationPolicy = "Never") => ({
    name: `${name}.webhook.test`,
    clientConfig: hooks.on(`/${name}`, answer),
    reinvocationPolicy,
  });
  const seen = () =>
    hooks.calls.map(({ path, request }) => {
      const { data } = request["object"] as { data: Record<string, string> };
      return `${path[1]}: ${Object.keys(data).toSorted().join(" ")}`;
    });
  const create = (data: object = { given: "x" }) => done(server.api, "POST", MAPS, { metadata: { name: "m" }, data });

  const rows: readonly (readonly [
    title: string,
    webhooks: () => readonly object[],
    calls: readonly string[],
    late?: string,
  ])[] = [
    [
      "each sees what the ones before it did",
      () => [hook("a", add("a")), hook("b", add("b"))],
      ["a: given", "b: a given"],
    ],
    [
      "one that is not to be called again is not",
      () => [hook("a", addOnce("a")), hook("b", addOnce("b"), "IfNeeded")],
      ["a: given", "b: a given"],
    ],
    [
      "one is called again when a later one changes the object",
      () => [hook("a", addOnce("a"), "IfNeeded"), hook("b", addOnce("b"))],
      ["a: given", "b: a given", "a: a b given"],
    ],
    [
      "one is not called again when a later one changes nothing",
      () => [hook("a", addOnce("a"), "IfNeeded"), hook("b", (given) => allow(given))],
      ["a: given", "b: a given"],
    ],
    [
      "one is not called again because it changed the object itself",
      () => [hook("a", addOnce("a"), "IfNeeded")],
      ["a: given"],
    ],
    [
      "both are called again when a third changes the object",
      () => [hook("a", addOnce("a"), "IfNeeded"), hook("b", addOnce("b"), "IfNeeded"), hook("c", addOnce("c"))],
      ["a: given", "b: a given", "c: a b given", "a: a b c given", "b: a b c given"],
    ],
    [
      "none is called a third time",
      () => [
        hook("a", (given) => patch(given, [operation("add", `/data/a${hooks.calls.length}`, "x")]), "IfNeeded"),
        hook("b", (given) => patch(given, [operation("add", `/data/b${hooks.calls.length}`, "x")]), "IfNeeded"),
      ],
      ["a: given", "b: a1 given", "a: a1 b2 given", "b: a1 a3 b2 given"],
    ],
    [
      "one is called again when a plugin changes the object in the second round",
      () => [hook("a", addOnce("a"), "IfNeeded")],
      ["a: given", "a: a given late"],
      "late",
    ],
  ];
  test.each(rows.map(([title, webhooks, calls, lateKey]) => [title, webhooks, calls, lateKey] as const))(
    "%s",
    async (_, webhooks, calls, lateKey) => {
      if (lateKey !== undefined) {
        late = ({ object, reinvocation }) => {
          if (object?.kind !== "ConfigMap") return;
          if (reinvocation.active) (object["data"] as Record<string, string>)[lateKey] = "x";
        };
      }
      await using _webhooks = await configure(server.api, "mutating", webhooks());
      await create();
      expect(seen()).toEqual(calls);
    },
  );

  test("call one in no second round whose selector matches only then", async () => {
    const labelled = { objectSelector: { matchLabels: { l: "1" } } };
    const webhooks = [
      { ...hook("a", addOnce("a"), "IfNeeded"), ...labelled },
      hook("b", (given) => patch(given, [operation("add", "/metadata/labels", { l: "1" })])),
    ];
    await using _ = await configure(server.api, "mutating", webhooks);
    await create();
    expect(seen()).toEqual(["b: given"]);
  });

  test("call one whose selector matches what an earlier one made", async () => {
    const webhooks = [
      hook("a", (given) => patch(given, [operation("add", "/metadata/labels", { l: "1" })])),
      { ...hook("b", add("b")), objectSelector: { matchLabels: { l: "1" } } },
    ];
    await using _ = await configure(server.api, "mutating", webhooks);
    expect((await create()).at("data")).toEqual({ given: "x", b: "x" });
  });

  test("mark the second round in the audit event", async () => {
    await using _ = await configure(server.api, "mutating", [
      hook("a", addOnce("a"), "IfNeeded"),
      hook("b", addOnce("b")),
    ]);
    await create();
    const notes = [...(server.requests.at(-1)?.annotations.entries() ?? [])].filter(([key]) =>
      key.startsWith("mutation."),
    );
    const note = (webhook: string, mutated: boolean) =>
      `{"configuration":"config","webhook":"${webhook}.webhook.test","mutated":${String(mutated)}}`;
    expect(notes).toEqual([
      ["mutation.webhook.admission.k8s.io/round_0_index_0", note("a", true)],
      ["mutation.webhook.admission.k8s.io/round_0_index_1", note("b", true)],
      ["mutation.webhook.admission.k8s.io/round_1_index_0", note("a", false)],
    ]);
  });

  test("end the request when one fails, and nothing is stored", async () => {
    const webhooks = [
      hook("a", add("a")),
      hook("b", (_, response) => void response.writeHead(500).end()),
      hook("c", add("c")),
    ];
    await using _ = await configure(server.api, "mutating", webhooks);
    const { at } = await call(server.api, "POST", MAPS, { metadata: { name: "m" }, data: { given: "x" } });
    expect(at("message")).toBe(
      `${INTERNAL}failed calling webhook "b.webhook.test": failed to call webhook: an error on the server ("") has prevented the request from succeeding`,
    );
    expect(hooks.calls).toHaveLength(2);
    expect((await call(server.api, "GET", `${MAPS}/m`)).status).toBe(404);
  });
});
