import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";
import { certificateRequest } from "../helpers/certificate-request.js";

// Writes whose bodies hold very many values are answered as any other is, in slices of the event loop.

const MAPS = "/api/v1/namespaces/default/configmaps";
const MANY = 6000;

const wide = (value = "v"): Record<string, string> =>
  Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`key${at}`, value]));
const map = (name: string, data = wide()) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
});

afterAll(() => cluster.close());

test("other requests are answered while a long body is read", async () => {
  const order: string[] = [];
  const long = call(api, "POST", MAPS, map("slow")).then(({ status }) => order.push(`long ${status}`));
  for (let at = 0; at < 20; at++) {
    await call(api, "GET", "/api/v1/namespaces/default");
    order.push("short");
  }
  await long;
  expect(order.at(-1)).toBe("long 201");
});

describe("a write with a long body", () => {
  test("is visible to everybody at once", async () => {
    const created = await call(api, "POST", `${MAPS}?fieldManager=me`, map("written"));
    expect(created.status).toBe(201);
    const read = await call(api, "GET", `${MAPS}/written`);
    expect(read.text).toBe(created.text);
    expect(read.at("data.key5999")).toBe("v");
    expect(read.at("metadata.managedFields.0.manager")).toBe("me");
    const listed = await call(api, "GET", `${MAPS}?fieldSelector=metadata.name=written&resourceVersion=0`);
    expect(listed.at("items.0.metadata.uid")).toBe(created.at("metadata.uid"));
  });

  test("stores nothing in a dry run", async () => {
    expect((await call(api, "POST", `${MAPS}?dryRun=All`, map("dry"))).status).toBe(201);
    expect((await call(api, "GET", `${MAPS}/dry`)).status).toBe(404);
  });

  test("is answered as a table to a client that asks for one", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const answer = await call(api, "POST", MAPS, map("shown"), { accept });
    expect(answer.at("rows.0.cells.1")).toBe(MANY);
  });

  test("has its caller as user, who may be impersonated", async () => {
    const { request: pem } = await certificateRequest("CN=jane");
    const request = Buffer.from(pem).toString("base64");
    const body = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "wide", annotations: wide() },
      spec: { request, signerName: "example.com/own", usages: ["client auth"] },
    };
    const headers = { "impersonate-user": "jane", "impersonate-group": "team", "impersonate-extra-floor": "3" };
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    const apiGroup = "rbac.authorization.k8s.io";
    await call(api, "POST", `/apis/${apiGroup}/v1/clusterrolebindings`, {
      metadata: { name: "team-may-ask" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "system:node-bootstrapper" },
      subjects: [{ apiGroup, kind: "Group", name: "team" }],
    });
    const answer = await call(api, "POST", path, body, { headers });
    expect([answer.status, answer.at("spec.username"), answer.at("spec.groups"), answer.at("spec.extra")]).toEqual([
      201,
      "jane",
      ["team", "system:authenticated"],
      { floor: ["3"] },
    ]);
  });

  test("reserves values that no two objects may share", async () => {
    const path = "/api/v1/namespaces/default/services";
    const service = (name: string) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, annotations: wide() },
      spec: { type: "NodePort", ports: [{ port: 80 }] },
    });
    const [one, two] = [await call(api, "POST", path, service("one")), await call(api, "POST", path, service("two"))];
    const taken = [one, two].map((answer) => [answer.at("spec.clusterIP"), answer.at("spec.ports.0.nodePort")]);
    expect(new Set(taken.flat()).size).toBe(4);
    const again = { metadata: { name: "three" }, spec: { clusterIP: one.at("spec.clusterIP"), ports: [{ port: 80 }] } };
    expect((await call(api, "POST", path, again)).text).toContain("provided IP is already allocated");
  });
});

describe("a refused write with a long body", () => {
  test("is answered in the usual words", async () => {
    await call(api, "POST", MAPS, { metadata: { name: "taken" } });
    const body = map("taken", wide());
    const twice = await call(api, "POST", MAPS, body);
    expect([twice.status, twice.at("message")]).toEqual([409, 'configmaps "taken" already exists']);
    const invalid = await call(api, "POST", MAPS, map("BAD"));
    expect([invalid.status, invalid.at("reason")]).toEqual([422, "Invalid"]);
    const unreadable = await call(api, "POST", MAPS, `${JSON.stringify(body)}}`);
    expect(unreadable.status).toBe(400);
    const absent = await call(api, "PATCH", `${MAPS}/absent`, { data: wide() }, MERGE);
    expect([absent.status, absent.at("message")]).toEqual([404, 'configmaps "absent" not found']);
    const elsewhere = await call(api, "POST", "/api/v1/namespaces/nowhere/configmaps", body);
    expect([elsewhere.status, elsewhere.at("message")]).toEqual([404, 'namespaces "nowhere" not found']);
  });

  test("is answered with its warnings", async () => {
    const { headers } = await call(api, "POST", `${MAPS}?fieldValidation=Warn`, { ...map("warned"), nonsense: 1 });
    expect(headers["warning"]).toEqual(['299 - "unknown field \\"nonsense\\""']);
  });
});

test("server-side appliers of long and short configurations own their fields", async () => {
  const shortly = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" }, data: { own: "short" } };
  await call(api, "PATCH", `${MAPS}/shared?fieldManager=short`, shortly, APPLY);
  const both = await call(api, "PATCH", `${MAPS}/shared?fieldManager=long`, map("shared"), APPLY);
  expect([both.status, both.at("data.own"), both.at("data.key0")]).toEqual([200, "short", "v"]);
  const against = { ...wide(), own: "long" };
  const conflict = await call(api, "PATCH", `${MAPS}/shared?fieldManager=long`, map("shared", against), APPLY);
  expect([conflict.status, conflict.at("message")]).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "short": .data.own',
  ]);
});

test("one long and many short writers of one object lose no change", async () => {
  await call(api, "POST", MAPS, { metadata: { name: "contended" } });
  const short = async (writer: number) => {
    for (let at = 0; at < 10; at++) {
      const body = { data: { [`short${writer}-${at}`]: "" } };
      expect((await call(api, "PATCH", `${MAPS}/contended`, body, MERGE)).status).toBe(200);
    }
  };
  const long = async () => {
    for (let at = 0; at < 3; at++) {
      const body = { data: { ...wide(String(at)), [`long${at}`]: "" } };
      expect((await call(api, "PATCH", `${MAPS}/contended`, body, MERGE)).status).toBe(200);
    }
  };
  await Promise.all([short(0), short(1), short(2), long()]);
  const { text } = await call(api, "GET", `${MAPS}/contended`);
  const keys = Object.keys((JSON.parse(text) as { data: object }).data);
  expect(keys.filter((key) => !key.startsWith("key"))).toHaveLength(33);
  expect(keys.filter((key) => key.startsWith("key"))).toHaveLength(MANY);
});

test("a cluster that closes answers requests with long bodies that it has accepted", async () => {
  const closing = await startCluster({ port: false });
  const answer = call(closing.transport(), "POST", MAPS, map("last"));
  // It has been accepted by the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  await closing.close();
  expect((await answer).status).toBe(201);
});
