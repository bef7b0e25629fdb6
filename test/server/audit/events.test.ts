import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AuditedCluster, EVERYTHING, startAudited } from "../../helpers/audited-cluster.js";
import { asUser } from "../../helpers/as-user.js";
import { eventually } from "../../helpers/eventually.js";
import { call } from "../../helpers/api-caller.js";

// What the events of requests say: the comparison with kube-apiserver 1.20 has further requests.
const MAPS = "/api/v1/namespaces/default/configmaps";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as unknown;
const configMap = (name: string): object => ({ metadata: { name }, data: { key: "<&>" } });

let audited: AuditedCluster;

beforeAll(async () => {
  audited = await startAudited(EVERYTHING);
});
afterAll(() => audited[Symbol.asyncDispose]());

describe("the audit events of a request", () => {
  test("are one at its receipt and one at its answer", async () => {
    const { events } = await audited.send("GET", "/version", undefined, { headers: { "user-agent": "a-test" } });
    const request = {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "RequestResponse",
      auditID: events[0]?.auditID,
      requestURI: "/version",
      verb: "get",
      user: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
      sourceIPs: ["127.0.0.1"],
      userAgent: "a-test",
      requestReceivedTimestamp: TIME,
      stageTimestamp: TIME,
    };
    expect(events).toEqual([
      { ...request, stage: "RequestReceived" },
      {
        ...request,
        stage: "ResponseComplete",
        responseStatus: { metadata: {}, code: 200 },
        annotations: { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
      },
    ]);
    expect(events[0]?.stageTimestamp).toBe(events[0]?.requestReceivedTimestamp);
  });

  test("name the object of the body, and contain it with defaults", async () => {
    const { last } = await audited.send("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "web" },
      spec: { ports: [{ port: 80 }] },
    });
    expect(last.objectRef).toEqual({ resource: "services", namespace: "default", name: "web", apiVersion: "v1" });
    expect(last.requestObject).toMatchObject({
      kind: "Service",
      apiVersion: "v1",
      spec: { type: "ClusterIP", sessionAffinity: "None", ports: [{ protocol: "TCP", port: 80 }] },
    });
    expect(last.requestObject).not.toHaveProperty("spec.clusterIP");
    expect(last.responseObject).toHaveProperty("spec.clusterIP");
    expect(last.responseStatus).toEqual({ metadata: {}, code: 201 });
  });

  test("name the uid and the resourceVersion that a body expects", async () => {
    const created = await call(audited.transport, "POST", MAPS, configMap("versioned"));
    const object = JSON.parse(created.text) as { metadata: { uid: string; resourceVersion: string } };
    const { uid, resourceVersion } = object.metadata;
    const { last } = await audited.send("PUT", `${MAPS}/versioned`, object);
    expect(last.objectRef).toMatchObject({ name: "versioned", uid, resourceVersion });
  });

  test("contain a patch as it was sent", async () => {
    await call(audited.transport, "POST", MAPS, configMap("patched"));
    const { last } = await audited.send("PATCH", `${MAPS}/patched`, '{ "data": { "a": "<b>" } }', {
      type: "application/merge-patch+json",
    });
    expect(last.requestObject).toEqual({ data: { a: "<b>" } });
    expect(last.responseObject).toMatchObject({ data: { a: "<b>", key: "<&>" } });
  });

  test("contain the YAML of an apply as JSON", async () => {
    const { last } = await audited.send(
      "PATCH",
      `${MAPS}/applied?fieldManager=a`,
      "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n",
      { type: "application/apply-patch+yaml" },
    );
    expect(last.requestObject).toEqual({ apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } });
  });

  test.each([
    ["application/json", "ConfigMap"],
    ["application/yaml", "ConfigMap"],
    ["application/vnd.kubernetes.protobuf", "ConfigMap"],
    ["application/json;as=Table;g=meta.k8s.io;v=v1", "Table"],
    ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "PartialObjectMetadata"],
  ])("contain an answer in %s as JSON", async (accept, kind) => {
    await call(audited.transport, "POST", MAPS, configMap("answered"));
    const { last } = await audited.send("GET", `${MAPS}/answered`, undefined, { accept });
    expect(last.responseObject).toMatchObject({ kind });
    const list = await audited.send("GET", MAPS, undefined, { accept: accept.replace("Metadata;", "MetadataList;") });
    expect(list.last.responseObject).toMatchObject({ kind: kind === "Table" ? kind : `${kind}List` });
  });

  test("contain an indented answer as compact JSON", async () => {
    const { answer, last } = await audited.send("GET", "/api/v1/namespaces/default?pretty=true");
    expect(last.responseObject).toEqual(JSON.parse(answer.text));
  });

  test("contain the Status of a refusal", async () => {
    const { last } = await audited.send("GET", `${MAPS}/missing`);
    expect(last.responseStatus).toEqual({
      metadata: {},
      status: "Failure",
      message: 'configmaps "missing" not found',
      reason: "NotFound",
      details: { name: "missing", kind: "configmaps" },
      code: 404,
    });
    expect(last.responseObject).toMatchObject({ kind: "Status", code: 404 });
  });

  test("name the impersonated user", async () => {
    const answer = await asUser(audited.transport, "jane,devs")("GET", "/version", undefined, {
      headers: { "impersonate-extra-scopes": "view" },
    });
    expect(answer.status).toBe(200);
    expect(audited.eventsOf(String(answer.headers["audit-id"])).at(-1)).toMatchObject({
      user: { username: "kubernetes-admin" },
      impersonatedUser: { username: "jane", groups: ["devs", "system:authenticated"], extra: { scopes: ["view"] } },
      annotations: { "authorization.k8s.io/decision": "allow" },
    });
  });

  test("name why a user is refused, and by which right another may impersonate it", async () => {
    const answer = await asUser(audited.transport, "jane")("GET", MAPS);
    expect(answer.status).toBe(403);
    expect(audited.eventsOf(String(answer.headers["audit-id"])).at(-1)).toMatchObject({
      authenticationMetadata: { impersonationConstraint: "impersonate:user-info" },
      responseStatus: { reason: "Forbidden", code: 403 },
      annotations: { "authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": "" },
    });
  });

  test("name the binding that allows the request", async () => {
    await call(audited.transport, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "viewers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "vera" }],
    });
    await eventually(async () => {
      const answer = await asUser(audited.transport, "vera")("GET", MAPS);
      expect(audited.eventsOf(String(answer.headers["audit-id"])).at(-1)?.annotations).toEqual({
        "authorization.k8s.io/decision": "allow",
        "authorization.k8s.io/reason":
          'RBAC: allowed by ClusterRoleBinding "viewers" of ClusterRole "view" to User "vera"',
      });
    });
  });

  test("mark a deprecated version", async () => {
    const { last } = await audited.send("GET", "/api/v1/namespaces/default/endpoints");
    expect(last.annotations).toMatchObject({ "k8s.io/deprecated": "true" });
  });

  test("A-ADM-06: contain annotations of admission plugins", async () => {
    const labels = { "pod-security.kubernetes.io/audit": "restricted" };
    await call(audited.transport, "POST", "/api/v1/namespaces", { metadata: { name: "strict", labels } });
    await call(audited.transport, "POST", "/api/v1/namespaces/strict/serviceaccounts", {
      metadata: { name: "default" },
    });
    const { last } = await audited.send("POST", "/api/v1/namespaces/strict/pods", {
      metadata: { name: "a" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    expect(last.annotations?.["pod-security.kubernetes.io/audit-violations"]).toContain("allowPrivilegeEscalation");
  });

  test("have the audit id that the client chose, as the answer has", async () => {
    const { answer } = await audited.send("GET", "/version", undefined, { headers: { "audit-id": "mine" } });
    expect(answer.headers["audit-id"]).toBe("mine");
    expect(audited.eventsOf("mine")).toHaveLength(2);
  });

  test("are a single one, at the beginning of the answer, for wrong credentials", async () => {
    const { answer, events } = await audited.send("GET", MAPS, undefined, {
      headers: { authorization: "Bearer wrong" },
    });
    expect(answer.status).toBe(401);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      stage: "ResponseStarted",
      user: {},
      responseStatus: { message: "Unauthorized", reason: "Unauthorized", code: 401 },
    });
    expect(JSON.stringify(events)).not.toContain("wrong");
  });
});

describe("the audit events of a watch", () => {
  test("are one at its start, and one when its client ends it", async () => {
    const ending = new AbortController();
    const headers = { accept: "application/json", "audit-id": "a-watch" };
    const path = `${MAPS}?watch=true`;
    const answer = await audited.transport.send({ method: "GET", path, headers, signal: ending.signal });
    await eventually(() =>
      expect(audited.eventsOf("a-watch").map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseStarted"]),
    );
    expect(audited.eventsOf("a-watch")[1]).toMatchObject({ verb: "watch", responseStatus: { code: 200 } });
    ending.abort();
    await expect(answer.body[Symbol.asyncIterator]().next()).rejects.toThrow();
    await eventually(() => expect(audited.eventsOf("a-watch")).toHaveLength(3));
    expect(audited.eventsOf("a-watch")[2]).toMatchObject({
      stage: "ResponseComplete",
      responseStatus: { metadata: {}, code: 200 },
    });
  });

  test("are the same when it is refused", async () => {
    const { answer, events } = await audited.send("GET", `${MAPS}?watch=true&resourceVersion=x`);
    expect(answer.status).toBe(422);
    await eventually(() => expect(audited.eventsOf(events[0]?.auditID ?? "")).toHaveLength(3));
    expect(audited.eventsOf(events[0]?.auditID ?? "").at(-1)).toMatchObject({
      stage: "ResponseComplete",
      responseStatus: { code: 422 },
    });
  });

  test("include the last one when the server ends it", async () => {
    const other = await startAudited(EVERYTHING);
    const headers = { accept: "application/json", "audit-id": "a-watch" };
    const answer = await other.transport.send({ method: "GET", path: `${MAPS}?watch=true`, headers });
    await other[Symbol.asyncDispose]();
    for await (const _ of answer.body);
    expect(other.eventsOf("a-watch").at(-1)).toMatchObject({ stage: "ResponseComplete" });
  });
});

describe("the audit level", () => {
  test.each([
    ["Metadata", false, false],
    ["Request", true, false],
    ["RequestResponse", true, true],
  ] as const)("%s includes the request's object: %s, and the answer's: %s", async (level, ofRequest, ofAnswer) => {
    await using cluster = await startAudited({ rules: [{ level }] });
    const { last } = await cluster.send("POST", MAPS, configMap("levels"));
    expect(last.level).toBe(level);
    expect(last.objectRef).toMatchObject({ name: "levels" });
    expect(last.requestObject !== undefined).toBe(ofRequest);
    expect(last.responseObject !== undefined).toBe(ofAnswer);
  });

  test("is combined with omitManagedFields, which removes managed fields of all objects", async () => {
    await using cluster = await startAudited({ ...EVERYTHING, omitManagedFields: true });
    const created = await cluster.send("POST", MAPS, configMap("unmanaged"));
    expect(created.answer.text).toContain("managedFields");
    const update = await cluster.send("PUT", `${MAPS}/unmanaged`, created.answer.text);
    const list = await cluster.send("GET", MAPS);
    const table = await cluster.send("GET", `${MAPS}?includeObject=Object`, undefined, {
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    });
    const all = [created, update, list, table].map(({ last }) => JSON.stringify(last));
    expect(all.filter((text) => text.includes("managedFields"))).toEqual([]);
    expect(all.filter((text) => text.includes("unmanaged"))).toHaveLength(4);
  });

  test("None records nothing, and omitted stages have no event", async () => {
    await using cluster = await startAudited({
      omitStages: ["RequestReceived"],
      rules: [{ level: "None", resources: [{ group: "", resources: ["configmaps"] }] }, { level: "Metadata" }],
    });
    const { events } = await cluster.send("GET", "/version");
    expect(events.map(({ stage }) => stage)).toEqual(["ResponseComplete"]);
    await expect(cluster.send("GET", MAPS)).rejects.toThrow(`GET ${MAPS} has no event`);
  });
});
