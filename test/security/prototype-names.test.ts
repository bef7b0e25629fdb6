import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesClient } from "../../src/client/dynamic/kubernetes-client.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { containerEnvironment, Environment } from "../../src/node/agent/container-environment.js";
import { volumeMounts } from "../../src/node/agent/volumes/volume-mounts.js";
import { call } from "../helpers/api-caller.js";
import { asUser } from "../helpers/as-user.js";
import { APPLY, Arena, JSON_PATCH, MERGE, pod, STRATEGIC } from "./arena.js";

/** Members of Object.prototype: what a careless look-up in an object finds under a name that nobody gave it. */
const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"] as const;
const MAPS = "/api/v1/namespaces/default/configmaps";

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  await arena.create(MAPS, { metadata: { name: "plain" }, data: { a: "1" } });
  await arena.create("/api/v1/namespaces/default/pods", pod("web"));
});

afterAll(() => arena[Symbol.asyncDispose]());

describe.each(NAMES)("the name %s of JavaScript's Object.prototype", (name) => {
  const requests: readonly (readonly [what: string, method: string, path: string])[] = [
    ["a method", name, `${MAPS}/plain`],
    ["a method without an object", name, MAPS],
    ["a method of another path", name, "/healthz"],
    ["a group", "GET", `/apis/${name}/v1/things`],
    ["a group alone", "GET", `/apis/${name}`],
    ["a version", "GET", `/apis/apps/${name}/deployments`],
    ["a version of the core group", "GET", `/api/${name}/pods`],
    ["a prefix", "GET", `/${name}/v1/pods`],
    ["a resource", "GET", `/api/v1/namespaces/default/${name}`],
    ["a resource and its name", "DELETE", `/api/v1/namespaces/default/${name}/${name}`],
    ["a subresource", "GET", `/api/v1/namespaces/default/pods/web/${name}`],
    ["a subresource that is written", "PUT", `/api/v1/namespaces/default/pods/web/${name}`],
    ["a namespace", "GET", `/api/v1/namespaces/${name}/pods`],
    ["the name of an object", "GET", `${MAPS}/${name}`],
    ["a query parameter", "GET", `${MAPS}?${name}=${name}`],
    ["a label", "GET", `${MAPS}?labelSelector=${name}`],
    ["the value of a label", "GET", `${MAPS}?labelSelector=a%3D${name}`],
    ["a label that is not there", "GET", `${MAPS}?labelSelector=!${name}`],
    ["a field", "GET", `${MAPS}?fieldSelector=${name}%3D1`],
    ["a field of pods", "GET", `/api/v1/pods?fieldSelector=${name}%3D1`],
    ["a field manager", "PATCH", `${MAPS}/plain?dryRun=All&fieldManager=${name}`],
    ["a validation", "PATCH", `${MAPS}/plain?dryRun=All&fieldValidation=${name}`],
    ["a kind of dry run", "PATCH", `${MAPS}/plain?dryRun=${name}`],
    ["a match of resource versions", "GET", `${MAPS}?resourceVersion=1&resourceVersionMatch=${name}`],
    ["a verbose health check", "GET", `/healthz/${name}`],
  ];

  test.each(requests)("gives nobody a right as %s", async (_, method, path) => {
    const type = method === "PATCH" ? MERGE : undefined;
    const body = method === "PATCH" ? { data: { a: "2" } } : undefined;
    const options = type === undefined ? {} : { type };
    for (const answer of [
      await call(arena.admin, method, path, body, options),
      await asUser(arena.admin, name)(method, path, body, options),
    ]) {
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(answer.text).not.toMatch(/function|\[native code\]|\[object/);
    }
    expect(arena.faults.splice(0)).toEqual([]);
  });

  test("gives no rights as a user, a group, an extra key or a header", async () => {
    const headers = { "impersonate-user": name, [`impersonate-extra-${name}`]: name, [name]: name };
    const impersonated = await call(arena.admin, "GET", MAPS, undefined, { headers });
    expect([impersonated.status, impersonated.at("reason")]).toEqual([403, "Forbidden"]);
    const grouped = { "impersonate-user": name, "impersonate-group": name };
    expect((await call(arena.admin, "GET", MAPS, undefined, { headers: grouped })).status).toBe(403);
    const spec = {
      user: name,
      groups: [name],
      extra: { key: [name] },
      resourceAttributes: { verb: name, group: name, version: name, resource: name, subresource: name, name },
    };
    const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    for (const asked of [spec, { ...spec, user: `system:node:${name}`, groups: ["system:nodes"] }]) {
      const review = await call(arena.admin, "POST", reviews, { spec: asked });
      expect([review.status, review.at("status.allowed")], review.text).toEqual([201, false]);
    }
  });

  test("is kept as a key of a map by every way to write it", async () => {
    const own = (value: string): string => `{"${name}": "${value}"}`;
    const label = name === "__proto__" ? "{}" : own("l");
    const labels = (text: string): string => `"labels": ${text}, "annotations": ${label}`;
    const path = `${MAPS}/${name.toLowerCase().replaceAll("_", "x")}`;
    const id = path.slice(MAPS.length + 1);
    const head = `"apiVersion": "v1", "kind": "ConfigMap"`;
    const body = (value: string): string =>
      `{${head}, "metadata": {"name": "${id}", ${labels(label)}}, "data": ${own(value)}}`;
    const holds = async (value: string): Promise<void> => {
      const { text } = await arena.make("GET", path);
      const read = JSON.parse(text) as { data: object; metadata: { labels?: object } };
      expect(Object.entries(read.data), value).toEqual([[name, value]]);
      if (label !== "{}") expect(Object.entries(read.metadata.labels ?? {})).toEqual([[name, "l"]]);
    };
    await arena.make("POST", MAPS, body("created"));
    await holds("created");
    await arena.make("PUT", path, body("put"));
    await holds("put");
    await arena.make("PATCH", path, `{"data": ${own("merged")}}`, MERGE);
    await holds("merged");
    await arena.make("PATCH", path, `{"data": ${own("strategic")}}`, STRATEGIC);
    await holds("strategic");
    const patch = [
      { op: "test", path: `/data/${name}`, value: "strategic" },
      { op: "replace", path: `/data/${name}`, value: "json" },
    ];
    await arena.make("PATCH", path, patch, JSON_PATCH);
    await holds("json");
    const applied = await arena.make("PATCH", `${path}?fieldManager=applier&force=true`, body("applied"), APPLY);
    await holds("applied");
    expect(applied.text).toContain(`"f:${name}":{}`);
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${id}, labels: ${label}}\ndata: {${name}: yaml}\n`;
    await arena.make("PUT", path, yaml, "application/yaml");
    await holds("yaml");
    const removed = await arena.make("PATCH", path, [{ op: "remove", path: `/data/${name}` }], JSON_PATCH);
    expect(Object.keys((JSON.parse(removed.text) as { data?: object }).data ?? {})).toEqual([]);
    const missing = await call(arena.admin, "PATCH", path, patch, { type: JSON_PATCH });
    expect(missing.status, missing.text).toBe(422);
  });

  test("is not found as a pod label by selectors unless the pod has it", async () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { a: "b" } },
      matchLabelKeys: [name === "__proto__" ? "proto" : name],
    };
    const made = pod(`p-${name.toLowerCase().replaceAll("_", "x")}`, { topologySpreadConstraints: [constraint] });
    const answer = await arena.make("POST", "/api/v1/namespaces/default/pods?dryRun=All", made);
    expect(answer.at("spec.topologySpreadConstraints.0.labelSelector")).toEqual({ matchLabels: { a: "b" } });
  });
});

test("these names as variables and files of a container have the values of their ConfigMap, and exist only there", async () => {
  const data = Object.fromEntries(NAMES.map((name) => [name, `value of ${name}`]));
  await arena.create(MAPS, { metadata: { name: "names" }, data });
  const source = {
    client: kubernetesClient(arena.cluster),
    pod: { metadata: { name: "web", namespace: "default" }, spec: {} },
    podIp: "",
    hostIp: "",
    capacity: {},
    claimed: new Map(),
    signal: AbortSignal.timeout(60_000),
    token: () => Promise.resolve(""),
  };
  const { variables } = await containerEnvironment({ envFrom: [{ configMapRef: { name: "names" } }] }, source);
  expect(Object.fromEntries(Object.entries(variables))).toEqual(data);
  const items = NAMES.map((name) => ({ key: name, path: name }));
  const volumes = [
    { name: "items", configMap: { name: "names", items } },
    { name: "projected", projected: { sources: [{ configMap: { name: "names" } }, { configMap: { name: "plain" } }] } },
  ];
  const mounted = { volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) };
  const env = new Environment();
  const mounts = await volumeMounts(mounted, env, { ...source, pod: { ...source.pod, spec: { volumes } } });
  const paths = mounts.map(async ({ path, volume }) =>
    volume.kind === "files" ? [...(await volume.files()).keys()].map((name) => `${path}/${name}`) : [],
  );
  expect((await Promise.all(paths)).flat().sort()).toEqual(
    [...NAMES.flatMap((name) => [`/items/${name}`, `/projected/${name}`]), "/projected/a"].sort(),
  );
  for (const name of NAMES) {
    const valueFrom = { configMapKeyRef: { name: "plain", key: name } };
    await expect(containerEnvironment({ env: [{ name: "X", valueFrom }] }, source)).rejects.toThrow(
      "couldn't find key",
    );
    const absent = [{ name: "v", configMap: { name: "plain", items: [{ key: name, path: "x" }] } }];
    const mount = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const missing = volumeMounts(mount, env, { ...source, pod: { ...source.pod, spec: { volumes: absent } } });
    await expect(missing).rejects.toThrow("non-existent config key");
  }
});

describe("a custom resource with these field names", () => {
  const at = "/apis/names.example.com/v1/namespaces/default/things";
  const field = { type: "integer", default: 7 };

  beforeAll(async () => {
    const properties = JSON.parse(
      `{${NAMES.map((name) => `"${name}": ${JSON.stringify(field)}`).join()}, "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}, "plain": {"type": "object", "properties": {"a": {"type": "string"}}}}`,
    ) as JsonObject;
    const schema = `{"type": "object", "properties": {"spec": {"type": "object", "properties": ${JSON.stringify(properties)}}}}`;
    const scale = `{"specReplicasPath": ".spec.open.constructor.prototype.replicas", "statusReplicasPath": ".status.replicas"}`;
    await arena.make(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      `{"metadata": {"name": "things.names.example.com"}, "spec": {"group": "names.example.com", "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"}, "versions": [{"name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": ${schema}}, "subresources": {"status": {}, "scale": ${scale}}}]}}`,
    );
    while ((await call(arena.admin, "GET", at)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  const specOf = (text: string): Readonly<Record<string, unknown>> =>
    (JSON.parse(text) as { spec: Readonly<Record<string, unknown>> }).spec;
  const head = `"apiVersion": "names.example.com/v1", "kind": "Thing"`;

  test("has their default values, and keeps them where unknown fields are preserved", async () => {
    const open = `{${NAMES.map((name) => `"${name}": {"a": "${name}"}`).join()}}`;
    const plain = `{${NAMES.map((name) => `"${name}": {"a": 1}`).join()}, "a": "kept"}`;
    const body = `{${head}, "metadata": {"name": "t"}, "spec": {"open": ${open}, "plain": ${plain}}}`;
    const made = specOf((await arena.make("POST", at, body)).text);
    for (const spec of [made, specOf((await arena.make("GET", `${at}/t`)).text)]) {
      for (const name of NAMES) {
        expect(Object.getOwnPropertyDescriptor(spec, name)?.value, name).toBe(7);
        expect(Object.getOwnPropertyDescriptor(spec["open"], name)?.value, name).toEqual({ a: name });
      }
      expect(Object.keys(spec["plain"] as object)).toEqual(["a"]);
    }
    const merged = await arena.make("PATCH", `${at}/t`, `{"spec": {"open": {"__proto__": {"b": 1}}}}`, MERGE);
    const proto = Object.getOwnPropertyDescriptor(specOf(merged.text)["open"], "__proto__");
    expect(proto?.value).toEqual({ a: "__proto__", b: 1 });
    const applied = await arena.make(
      "PATCH",
      `${at}/t?fieldManager=m&force=true`,
      `{${head}, "metadata": {"name": "t"}, "spec": {"__proto__": 9, "open": {"__proto__": {"c": 1}}}}`,
      APPLY,
    );
    expect(Object.getOwnPropertyDescriptor(specOf(applied.text), "__proto__")?.value).toBe(9);
    expect(applied.text).toContain('"f:__proto__":');
  });

  test("with a scale path through them changes no other object", async () => {
    await arena.make("POST", at, `{${head}, "metadata": {"name": "s"}, "spec": {"open": {}}}`);
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "s" }, spec: { replicas: 3 } };
    await arena.make("PUT", `${at}/s/scale`, scale);
    expect(Object.hasOwn(Object.prototype, "replicas")).toBe(false);
    expect((await arena.make("GET", `${at}/s/scale`)).at("spec.replicas")).toBe(3);
    expect((await arena.make("GET", `${at}/s`)).at("spec.open")).toEqual({
      constructor: { prototype: { replicas: 3 } },
    });
  });
});

test("after these tests Object.prototype is unchanged, and the server reported no error", () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  expect(arena.faults).toEqual([]);
});
