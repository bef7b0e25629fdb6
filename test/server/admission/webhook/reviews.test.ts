import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtinRecords } from "../../../../src/server/builtin/index.js";
import { recordId } from "../../../../src/server/endpoints/resource-record.js";
import type { Connecter } from "../../../../src/server/registry/resource.js";
import { respondText } from "../../../../src/server/request/respond.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { configure, CONFIG_MAPS } from "../../../helpers/configured-webhooks.js";
import { allow, deny, NO_CALL, startWebhookServer, type WebhookServer } from "../../../helpers/webhook-server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const UID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/) as string;

/** An exec that says it was reached. */
const exec: Connecter = {
  connectMethods: ["GET", "POST"],
  hasSubpath: false,
  connect: () => Promise.resolve((request) => respondText(request, 200, "connected")),
};
const records = builtinRecords.map((record) =>
  recordId(record) === "/pods"
    ? { ...record, subresources: { ...record.subresources, exec: { connecter: () => exec } } }
    : record,
);

let server: AdmittingServer;
let hooks: WebhookServer;
let configured: AsyncDisposable;

const every = (version: string) => ({
  clientConfig: hooks.on("/hook", (given) => allow(given)),
  admissionReviewVersions: [version],
  rules: [{ ...CONFIG_MAPS, apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
});

beforeAll(async () => {
  server = await admittingServer({}, undefined, records);
  hooks = await startWebhookServer();
  configured = await configure(server.api, "validating", [every("v1")]);
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await configured[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

beforeEach(() => {
  hooks.calls.length = 0;
});

const MAP = { group: "", version: "v1", kind: "ConfigMap" };
const MAPS_RESOURCE = { group: "", version: "v1", resource: "configmaps" };
const common = {
  uid: UID,
  kind: MAP,
  resource: MAPS_RESOURCE,
  requestKind: MAP,
  requestResource: MAPS_RESOURCE,
  namespace: "default",
  userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] },
  dryRun: false,
};

describe("the review that an admission webhook receives", () => {
  test("for a create has the object as it would be stored", async () => {
    await done(server.api, "POST", `${MAPS}?fieldManager=f`, {
      metadata: { name: "a", annotations: { q: "<1>" } },
      data: { "a.b": "1" },
    });
    const [{ body, headers, path } = NO_CALL] = hooks.calls;
    const { request, ...rest } = JSON.parse(body) as { request: { object: { metadata: object } } };
    expect(rest).toEqual({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" });
    expect(request).toEqual({
      ...common,
      name: "a",
      operation: "CREATE",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          name: "a",
          namespace: "default",
          annotations: { q: "<1>" },
          uid: UID,
          creationTimestamp: expect.any(String) as string,
          managedFields: [expect.objectContaining({ manager: "f" })],
        },
        data: { "a.b": "1" },
      },
      oldObject: null,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "f" },
    });
    expect(Object.keys(request)).toEqual([
      "uid",
      "kind",
      "resource",
      "requestKind",
      "requestResource",
      "name",
      "namespace",
      "operation",
      "userInfo",
      "object",
      "oldObject",
      "dryRun",
      "options",
    ]);
    expect(path).toBe("/hook?timeout=10s");
    expect(headers).toMatchObject({
      "content-type": "application/json",
      accept: "application/json, */*",
      "user-agent": "kube-apiserver-admission",
    });
  });

  test("for an update has both objects", async () => {
    await done(server.api, "PUT", `${MAPS}/a`, { metadata: { name: "a" }, data: { b: "2" } });
    expect(hooks.calls[0]?.request).toMatchObject({
      ...common,
      name: "a",
      operation: "UPDATE",
      object: { data: { b: "2" } },
      oldObject: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { resourceVersion: expect.any(String) as string },
        data: { "a.b": "1" },
      },
      options: { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" },
    });
  });

  test("for a patch or an apply is an update with the options of the query", async () => {
    const merge = "application/merge-patch+json";
    await done(server.api, "PATCH", `${MAPS}/a?fieldValidation=Strict`, { data: { c: "3" } }, merge);
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } };
    await done(server.api, "PATCH", `${MAPS}/new?fieldManager=f`, applied, "application/apply-patch+yaml");
    expect(hooks.calls.map(({ request }) => [request["operation"], request["name"], request["options"]])).toEqual([
      ["UPDATE", "a", { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1", fieldValidation: "Strict" }],
      ["CREATE", "new", { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "f" }],
    ]);
  });

  test("for a delete has the old object alone", async () => {
    await done(server.api, "DELETE", `${MAPS}/a`, { gracePeriodSeconds: 3, propagationPolicy: "Background" });
    expect(hooks.calls[0]?.request).toMatchObject({
      ...common,
      name: "a",
      operation: "DELETE",
      object: null,
      oldObject: { metadata: { name: "a" } },
      options: { kind: "DeleteOptions", gracePeriodSeconds: 3, propagationPolicy: "Background" },
    });
  });

  test("for the deletion of a collection comes for each object, without a name", async () => {
    await done(server.api, "POST", MAPS, { metadata: { name: "b" } });
    hooks.calls.length = 0;
    await done(server.api, "DELETE", MAPS);
    const names = hooks.calls.map(({ request }) => [
      request["name"],
      (request["oldObject"] as { metadata: { name: string } }).metadata.name,
    ]);
    expect(names).toEqual([
      [undefined, "b"],
      [undefined, "new"],
    ]);
  });

  test("for a connection has its options as the object", async () => {
    const spec = { containers: [{ name: "c", image: "i" }] };
    await done(server.api, "POST", PODS, { metadata: { name: "p" }, spec });
    hooks.calls.length = 0;
    await done(server.api, "POST", `${PODS}/p/exec?command=ls&command=-l&container=c`);
    expect(hooks.calls[0]?.request).toMatchObject({
      kind: { group: "", version: "v1", kind: "PodExecOptions" },
      resource: { group: "", version: "v1", resource: "pods" },
      subResource: "exec",
      requestSubResource: "exec",
      name: "p",
      operation: "CONNECT",
      object: { kind: "PodExecOptions", apiVersion: "v1", command: ["ls", "-l"], container: "c" },
      oldObject: null,
      options: null,
    });
    hooks.on("/hook", (given) => deny(given, { message: "no exec" }));
    const refused = await call(server.api, "POST", `${PODS}/p/exec?command=ls`);
    expect(refused.at("message")).toBe('admission webhook "one.webhook.test" denied the request: no exec');
    hooks.on("/hook", (given) => allow(given));
  });

  test("for a subresource has the subresource's kind", async () => {
    const pod = `${PODS}/p`;
    await done(server.api, "PATCH", `${pod}/status`, { status: { phase: "Running" } }, "application/merge-patch+json");
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
    await done(server.api, "POST", `${pod}/eviction?dryRun=All`, eviction);
    const token = await call(server.api, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      spec: { nonResourceAttributes: { verb: "get", path: "/" } },
    });
    expect(token.status).toBe(201);
    // K37-103: of reviews of access no webhook is told.
    expect(
      hooks.calls.map(({ request }) => [
        request["subResource"],
        (request["kind"] as { kind: string }).kind,
        request["dryRun"],
      ]),
    ).toEqual([
      ["status", "Pod", false],
      ["eviction", "Eviction", true],
    ]);
  });

  test("for a create with generateName has the generated name in a validating webhook", async () => {
    const { at } = await done(server.api, "POST", MAPS, { metadata: { generateName: "g-" } });
    expect(hooks.calls[0]?.request["name"]).toBe(at("metadata.name"));
  });

  test("is the same in v1beta1", async () => {
    await using _ = await configure(server.api, "mutating", [{ ...every("v1beta1"), rules: [CONFIG_MAPS] }]);
    await done(server.api, "POST", MAPS, { metadata: { generateName: "g-" } });
    const [mutating, validating] = hooks.calls.map(
      ({ body }) => JSON.parse(body) as { apiVersion: string; request: object },
    );
    expect([mutating?.apiVersion, validating?.apiVersion]).toEqual(["admission.k8s.io/v1beta1", "admission.k8s.io/v1"]);
    const ofValidating = Object.keys(validating?.request ?? {}).filter((key) => key !== "name");
    expect(Object.keys(mutating?.request ?? {})).toEqual(ofValidating);
  });

  test("has exact numbers beyond 2^53, and a long object completely", async () => {
    const data = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, "v"]));
    await done(server.api, "POST", MAPS, { metadata: { name: "long" }, data });
    expect(hooks.calls[0]?.request["object"]).toMatchObject({ data });
    const uid = '{"metadata":{"name":"lease"},"spec":{"leaseTransitions":2147483647}}';
    await done(server.api, "POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", uid);
    expect(hooks.calls[1]?.body).toContain('"leaseTransitions":2147483647');
  });
});
