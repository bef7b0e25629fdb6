import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { bindingWith, enforce, mutatingPolicy } from "../../../helpers/policies.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const APPS = "/apis/apps/v1/namespaces/default/deployments";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await call(server.api, "DELETE", MAPS);
});

const apply = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

const rule = (group: string, ...resources: string[]) => ({
  apiGroups: [group],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources,
});

/** Creates an object under a policy with these mutations. */
async function create(mutations: readonly object[], path: string, body: object, spec: object = {}): Promise<Answer> {
  const matchConstraints = { resourceRules: [rule("", "configmaps", "pods"), rule("apps", "deployments")] };
  await using _ = await enforce(
    server.api,
    "mutating",
    [mutatingPolicy({ matchConstraints, mutations, ...spec })],
    [bindingWith("mutating")],
  );
  return call(server.api, "POST", `${path}?dryRun=All`, body);
}

const map = { metadata: { name: "a", labels: { tier: "gold" } }, data: { size: "3" } };
const container = { name: "c", image: "i", env: [{ name: "A", value: "1" }] };
const pod = { metadata: { name: "a" }, spec: { containers: [container] } };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container] } };
const deployment = { metadata: { name: "a" }, spec: { selector: { matchLabels: { a: "b" } }, template } };

describe("the apply configuration of a mutating admission policy", () => {
  const rows: readonly (readonly [
    what: string,
    expression: string,
    path: string,
    body: object,
    at: string,
    value: unknown,
  ])[] = [
    ["sets a field", "Object{immutable: true}", MAPS, map, "immutable", true],
    ["adds to a map", `Object{data: {"more": "x"}}`, MAPS, map, "data", { size: "3", more: "x" }],
    ["replaces a value of a map", `Object{data: {"size": "4"}}`, MAPS, map, "data", { size: "4" }],
    [
      "adds a label",
      `Object{metadata: Object.metadata{labels: {"owner": request.userInfo.username}}}`,
      MAPS,
      map,
      "metadata.labels",
      { tier: "gold", owner: "admin" },
    ],
    ["sets a field of a struct", "Object{spec: Object.spec{replicas: 3}}", APPS, deployment, "spec.replicas", 3],
    [
      "keeps what it does not name",
      "Object{spec: Object.spec{replicas: 3}}",
      APPS,
      deployment,
      "spec.template.spec.containers.0.image",
      "i",
    ],
    [
      "merges the items of a list by their keys",
      `Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", image: "better"}]}}`,
      PODS,
      pod,
      "spec.containers.0.env",
      container.env,
    ],
    [
      "changes the item with the key",
      `Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", image: "better"}]}}`,
      PODS,
      pod,
      "spec.containers.0.image",
      "better",
    ],
    [
      "adds an item with another key",
      `Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "i", image: "mesh"}]}}`,
      PODS,
      pod,
      "spec.initContainers.0.image",
      "mesh",
    ],
    [
      "gives what it adds its defaults",
      `Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "i", image: "mesh"}]}}`,
      PODS,
      pod,
      "spec.initContainers.0.imagePullPolicy",
      "Always",
    ],
    [
      "computes from every item",
      `Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: "mirror/" + c.image})}}`,
      PODS,
      pod,
      "spec.containers.0.image",
      "mirror/i",
    ],
    [
      "leaves a field out by an optional without a value",
      `Object{immutable: true, ?data: optional.none()}`,
      MAPS,
      map,
      "data",
      map.data,
    ],
    ["that is empty changes nothing", "Object{}", MAPS, map, "data", map.data],
    ["may be one of two", `object.data.size == "3" ? Object{immutable: true} : Object{}`, MAPS, map, "immutable", true],
  ];
  test.each(rows)("%s: %s", async (_, expression, path, body, at, value) => {
    const answer = await create([apply(expression)], path, body);
    expect([answer.status, answer.status === 201 ? answer.at(at) : answer.text]).toEqual([201, value]);
  });

  const refused: readonly (readonly [what: string, expression: string, body: object, message: string])[] = [
    [
      "with an unknown field",
      "Object{spec: Object.spec{wrong: 1}}",
      pod,
      "error applying patch: failed to convert patch object to typed object: .spec.wrong: field not declared in schema",
    ],
    [
      "with a value of another type",
      `Object{spec: Object.spec{nodeName: 1}}`,
      pod,
      "error applying patch: failed to convert patch object to typed object: .spec.nodeName: expected string, got &value.valueUnstructured{Value:1}",
    ],
    [
      "with an item without its key",
      `Object{spec: Object.spec{containers: [Object.spec.containers{image: "x"}]}}`,
      pod,
      `error applying patch: failed to convert patch object to typed object: .spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
    ],
    [
      "with an atomic list",
      `Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", args: ["a"]}]}}`,
      pod,
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args",
    ],
    [
      "with an atomic map",
      `Object{spec: Object.spec{nodeSelector: {"a": "b"}}}`,
      pod,
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector",
    ],
    [
      "with types that are not named after their places",
      "Object{spec: Object.wrong{nodeName: 'x'}}",
      pod,
      `type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type`,
    ],
    [
      "that fails",
      "Object{spec: Object.spec{nodeName: object.x.y}}",
      pod,
      "expression 'Object{spec: Object.spec{nodeName: object.x.y}}' resulted in error: no such key: x",
    ],
  ];
  test.each(refused)("%s refuses the request", async (_, expression, body, message) => {
    const { status, at } = await create([apply(expression)], PODS, body);
    const text = `policy 'policy' with binding 'binding' denied request: ${message}`;
    expect([status, at("reason"), at("message"), at("details")]).toEqual([
      403,
      "Invalid",
      text,
      { name: "a", kind: "pods", causes: [{ message: text }] },
    ]);
    const ignored = await create([apply(expression)], PODS, body, { failurePolicy: "Ignore" });
    expect(ignored.status).toBe(201);
  });
});

describe("the JSON patch of a mutating admission policy", () => {
  const rows: readonly (readonly [what: string, expression: string, at: string, value: unknown])[] = [
    ["adds", `[JSONPatch{op: "add", path: "/data/more", value: "x"}]`, "data", { size: "3", more: "x" }],
    ["replaces", `[JSONPatch{op: "replace", path: "/data/size", value: "4"}]`, "data", { size: "4" }],
    ["removes", `[JSONPatch{op: "remove", path: "/metadata/labels/tier"}]`, "metadata.labels", undefined],
    ["moves", `[JSONPatch{op: "move", from: "/data/size", path: "/data/old"}]`, "data", { old: "3" }],
    ["copies", `[JSONPatch{op: "copy", from: "/data/size", path: "/data/old"}]`, "data", { size: "3", old: "3" }],
    [
      "tests, and goes on",
      `[JSONPatch{op: "test", path: "/data/size", value: "3"}, JSONPatch{op: "add", path: "/immutable", value: true}]`,
      "immutable",
      true,
    ],
    [
      "tests, and leaves the object as it is",
      `[JSONPatch{op: "test", path: "/data/size", value: "4"}, JSONPatch{op: "add", path: "/immutable", value: true}]`,
      "immutable",
      undefined,
    ],
    ["adds a map", `[JSONPatch{op: "add", path: "/data", value: {"b": "c"}}]`, "data", { b: "c" }],
    [
      "adds an object",
      `[JSONPatch{op: "add", path: "/metadata/ownerReferences", value: [Object.metadata.ownerReferences{apiVersion: "v1", kind: "Node", name: "n", uid: "u"}]}]`,
      "metadata.ownerReferences.0.name",
      "n",
    ],
    [
      "escapes a key",
      `[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/team"), value: "red"}]`,
      "metadata.labels",
      { tier: "gold", "example.com/team": "red" },
    ],
    [
      "that is empty changes nothing",
      "object.data.size == '3' ? [] : [JSONPatch{op: 'remove', path: '/data'}]",
      "data",
      map.data,
    ],
    [
      "is made of a loop",
      `object.data.map(k, JSONPatch{op: "replace", path: "/data/" + k, value: object.data[k] + "!"})`,
      "data",
      { size: "3!" },
    ],
  ];
  test.each(rows)("%s: %s", async (_, expression, at, value) => {
    const answer = await create([patch(expression)], MAPS, map);
    expect([answer.status, answer.status === 201 ? answer.at(at) : answer.text]).toEqual([201, value]);
  });

  const CONTAINERS = "object.spec.template.spec.containers";
  const made = (name: string): string =>
    `Object.spec.template.spec.initContainers{name: "${name}", image: "i", command: ["echo"]}`;
  const values: readonly (readonly [path: string, value: string, expected: unknown])[] = [
    ["/spec/template/spec/containers", CONTAINERS, ["c"]],
    ["/spec/template/spec/initContainers", `[${made("x")}, ${made("y")}]`, ["x", "y"]],
    ["/spec/template/spec/initContainers", `[${made("x")}] + [${made("y")}]`, ["x", "y"]],
    ["/spec/template/spec/containers", `${CONTAINERS} + [${made("x")}]`, ["c", "x"]],
    ["/spec/template/spec/containers", `[${made("x")}] + ${CONTAINERS}`, ["x", "c"]],
    ["/spec/template/spec/containers", `${CONTAINERS} + [{"name": "x", "image": "i"}]`, ["c", "x"]],
    ["/spec/template/spec/initContainers", `[{"name": "x", "image": "i"}] + [{"name": "y", "image": "i"}]`, ["x", "y"]],
    ["/spec/template/spec/containers/0/args", `${CONTAINERS}[0].command + ["-v"]`, ["sh", "-v"]],
    ["/spec/template/spec/containers/0/resources/limits", `${CONTAINERS}[0].resources.requests`, { cpu: "1" }],
    [
      "/spec/template/spec/containers/0/resources",
      `{"limits": ${CONTAINERS}[0].resources.requests, "requests": ${CONTAINERS}[0].resources.requests}`,
      { limits: { cpu: "1" }, requests: { cpu: "1" } },
    ],
    [
      "/spec/template/spec/securityContext",
      `{"seLinuxOptions": Object.spec.template.spec.securityContext.seLinuxOptions{level: "s0"}}`,
      { seLinuxOptions: { level: "s0" } },
    ],
    ["/spec/progressDeadlineSeconds", "object.spec.replicas + 600", 601],
    ["/metadata/annotations", "object.spec.selector.matchLabels", { a: "b" }],
  ];
  test.each(values)("K37-247: sets %s to %s", async (path, value, expected) => {
    const own = { ...container, command: ["sh"], resources: { requests: { cpu: "1" } } };
    const body = {
      ...deployment,
      spec: { ...deployment.spec, template: { ...template, spec: { containers: [own] } } },
    };
    const answer = await create([patch(`[JSONPatch{op: "add", path: "${path}", value: ${value}}]`)], APPS, body);
    expect(answer.status, answer.text).toBe(201);
    const found = answer.at(path.slice(1).replaceAll("/", "."));
    const isOfContainers = /[cC]ontainers$/.test(path);
    expect(isOfContainers ? (found as { name: string }[]).map(({ name }) => name) : found).toEqual(expected);
  });

  const refused: readonly (readonly [what: string, expression: string, code: number, message: string])[] = [
    [
      "of a path that is not there",
      `[JSONPatch{op: "remove", path: "/data/none"}]`,
      403,
      `policy 'policy' with binding 'binding' denied request: JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value`,
    ],
    [
      "with an operation that there is none of",
      `[JSONPatch{op: "burn", path: "/data/none"}]`,
      403,
      `policy 'policy' with binding 'binding' denied request: JSON Patch: Unexpected kind: burn`,
    ],
    [
      "that makes an unknown field",
      `[JSONPatch{op: "add", path: "/wrong", value: 1}]`,
      500,
      'Internal error occurred: strict decoding error: unknown field "wrong"',
    ],
    [
      "that fails",
      `[JSONPatch{op: "add", path: "/data/x", value: object.x}]`,
      403,
      `policy 'policy' with binding 'binding' denied request: expression '[JSONPatch{op: "add", path: "/data/x", value: object.x}]' resulted in error: no such key: x`,
    ],
  ];
  test.each(refused)("%s refuses the request", async (_, expression, code, message) => {
    const { status, at } = await create([patch(expression)], MAPS, map);
    expect([status, at("message")]).toEqual([code, message]);
  });
});

describe("several mutations of admission policies", () => {
  test("of one policy see what the earlier ones made, and may have different forms", async () => {
    const mutations = [
      apply(`Object{data: {"a": "1"}}`),
      patch(`[JSONPatch{op: "add", path: "/data/b", value: object.data.a + "2"}]`),
      apply(`Object{data: {"c": object.data.b + "3"}}`),
    ];
    expect((await create(mutations, MAPS, map)).at("data")).toEqual({ size: "3", a: "1", b: "12", c: "123" });
  });

  test("evaluate variables anew, each with the current object", async () => {
    const mutations = [apply(`Object{data: {"n": variables.count}}`), apply(`Object{data: {"m": variables.count}}`)];
    const variables = [{ name: "count", expression: "string(object.data.size())" }];
    expect((await create(mutations, MAPS, map, { variables })).at("data")).toEqual({ size: "3", n: "1", m: "2" });
  });

  test("of two policies run in the order of names, and the later sees the earlier one's result", async () => {
    const add = (name: string) =>
      mutatingPolicy({ mutations: [apply(`Object{data: {"seen": object.data.?seen.orValue("") + "${name}"}}`)] }, name);
    await using _ = await enforce(
      server.api,
      "mutating",
      [add("b"), add("a")],
      ["a", "b"].map((name) => bindingWith("mutating", { policyName: name }, name)),
    );
    const answer = await call(server.api, "POST", MAPS, map);
    expect(answer.at("data.seen")).toBe("ab");
  });

  test("with reinvocationPolicy IfNeeded run again when a later one has changed the object", async () => {
    const counter = (name: string, reinvocationPolicy: string) =>
      mutatingPolicy(
        { reinvocationPolicy, mutations: [apply(`Object{data: {"seen": object.data.?seen.orValue("") + "${name}"}}`)] },
        name,
      );
    await using _ = await enforce(
      server.api,
      "mutating",
      [counter("a", "IfNeeded"), counter("b", "Never")],
      ["a", "b"].map((name) => bindingWith("mutating", { policyName: name }, name)),
    );
    expect((await call(server.api, "POST", MAPS, map)).at("data.seen")).toBe("aba");
  });

  test("run on after a failure, and all failures are causes in the error", async () => {
    const failing = (name: string) =>
      mutatingPolicy({ mutations: [apply(`Object{data: {"x": object.${name}}}`)] }, name);
    await using _ = await enforce(
      server.api,
      "mutating",
      [failing("one"), failing("two")],
      ["one", "two"].map((name) => bindingWith("mutating", { policyName: name }, name)),
    );
    const { status, at } = await call(server.api, "POST", MAPS, map);
    const text = (name: string) =>
      `policy '${name}' with binding '${name}' denied request: expression 'Object{data: {"x": object.${name}}}' resulted in error: no such key: ${name}`;
    expect([status, at("message"), at("details.causes")]).toEqual([
      403,
      text("one"),
      [{ message: text("one") }, { message: text("two") }],
    ]);
  });
});

describe("a mutating admission policy", () => {
  test("changes objects before the validating policies see them", async () => {
    await using _ = await enforce(
      server.api,
      "mutating",
      [mutatingPolicy({ mutations: [apply(`Object{data: {"added": "yes"}}`)] })],
      [bindingWith("mutating")],
    );
    await using __ = await enforce(
      server.api,
      "validating",
      [
        {
          metadata: { name: "policy" },
          spec: {
            matchConstraints: { resourceRules: [rule("", "configmaps")] },
            validations: [{ expression: "object.data.added != 'yes'", message: "seen" }],
          },
        },
      ],
      [bindingWith("validating")],
    );
    expect((await call(server.api, "POST", MAPS, map)).at("message")).toMatch(/denied request: seen$/);
  });

  test("changes an object in the version that its rules name", async () => {
    const resource = { apiGroups: ["autoscaling"], apiVersions: ["v1"], operations: ["*"], resources: ["*"] };
    const mutations = [apply("Object{spec: Object.spec{targetCPUUtilizationPercentage: 55}}")];
    await using _ = await enforce(
      server.api,
      "mutating",
      [mutatingPolicy({ matchConstraints: { resourceRules: [resource] }, mutations })],
      [bindingWith("mutating")],
    );
    const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    const spec = { scaleTargetRef: { kind: "Deployment", name: "app" }, maxReplicas: 3 };
    const answer = await call(server.api, "POST", path, { metadata: { name: "s" }, spec });
    expect([answer.status, answer.at("spec.metrics.0.resource.target.averageUtilization")]).toEqual([201, 55]);
  });

  test("does not run when its match conditions are false", async () => {
    const spec = { matchConditions: [{ name: "no", expression: "object.data.size == '9'" }] };
    expect((await create([apply("Object{immutable: true}")], MAPS, map, spec)).at("immutable")).toBeUndefined();
  });

  test("does not run for deletions, which have no object", async () => {
    await done(server.api, "POST", MAPS, map);
    const resource = { ...rule("", "configmaps"), operations: ["*"] };
    await using _ = await enforce(
      server.api,
      "mutating",
      [
        mutatingPolicy({
          matchConstraints: { resourceRules: [resource] },
          mutations: [apply("Object{x: object.x.y}")],
        }),
      ],
      [bindingWith("mutating")],
    );
    expect((await call(server.api, "DELETE", `${MAPS}/a`)).status).toBe(200);
  });
});
