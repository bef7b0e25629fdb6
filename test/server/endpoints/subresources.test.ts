import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { certificateRequest } from "../../helpers/certificate-request.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const PODS = "/api/v1/namespaces/default/pods";
const MERGE = { type: "application/merge-patch+json" };
const STRATEGIC = { type: "application/strategic-merge-patch+json" };

async function pod(name: string, resources: JsonObject = {}): Promise<void> {
  const answer = await call(api, "POST", PODS, {
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: "c", image: "i", resources }] },
  });
  expect(answer.status, answer.text).toBe(201);
}

describe("the subresource ephemeralcontainers of a pod", () => {
  const debug = { name: "debug", image: "busybox" };
  const add = (name: string, containers: readonly JsonObject[]) =>
    call(api, "PATCH", `${PODS}/${name}/ephemeralcontainers`, { spec: { ephemeralContainers: containers } }, STRATEGIC);

  test("adds containers, and changes nothing else", async () => {
    await pod("look");
    const body = { metadata: { labels: { app: "other" } }, spec: { ephemeralContainers: [debug], nodeName: "n" } };
    const answer = await call(api, "PATCH", `${PODS}/look/ephemeralcontainers`, body, STRATEGIC);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.at("spec.ephemeralContainers.0")).toMatchObject({ ...debug, imagePullPolicy: "Always" });
    expect([answer.at("metadata.labels.app"), answer.at("spec.nodeName"), answer.at("metadata.generation")]).toEqual([
      "look",
      undefined,
      2,
    ]);
    expect(
      (await add("look", [{ name: "again", image: "busybox" }])).at("spec.ephemeralContainers.1.name"),
    ).toBeDefined();
    expect((await call(api, "GET", `${PODS}/look/ephemeralcontainers`)).at("kind")).toBe("Pod");
  });

  test("is the only way to add them, also at creation", async () => {
    const spec = { containers: [{ name: "c", image: "i" }], ephemeralContainers: [debug] };
    const created = await call(api, "POST", PODS, { metadata: { name: "at-once" }, spec });
    expect([created.status, created.at("details.causes.0.message")]).toEqual([
      422,
      "Forbidden: cannot be set on create",
    ]);
    await pod("direct");
    const answer = await call(api, "PATCH", `${PODS}/direct`, { spec: { ephemeralContainers: [debug] } }, STRATEGIC);
    expect([answer.status, answer.at("details.causes.0.field")]).toEqual([422, "spec"]);
  });

  test("can neither change nor remove them", async () => {
    await pod("keep");
    await add("keep", [debug]);
    const removed = await call(
      api,
      "PATCH",
      `${PODS}/keep/ephemeralcontainers`,
      { spec: { ephemeralContainers: [] } },
      MERGE,
    );
    expect([removed.status, removed.at("details.causes")]).toEqual([
      422,
      [
        {
          reason: "FieldValueForbidden",
          message: 'Forbidden: existing ephemeral containers "debug" may not be removed\n',
          field: "spec.ephemeralContainers",
        },
      ],
    ]);
    const changed = await add("keep", [{ name: "debug", image: "alpine" }]);
    expect([changed.status, changed.at("details.causes.0.field")]).toEqual([422, "spec.ephemeralContainers"]);
  });
});

describe("the subresource resize of a pod", () => {
  const resize = (name: string, container: JsonObject) =>
    call(api, "PATCH", `${PODS}/${name}/resize`, { spec: { containers: [{ name: "c", ...container }] } }, STRATEGIC);

  test("changes resources and nothing else", async () => {
    await pod("grow", { requests: { cpu: "100m" } });
    const answer = await resize("grow", { image: "other", resources: { requests: { cpu: "200m", memory: "1Gi" } } });
    expect(answer.status, answer.text).toBe(200);
    expect([answer.at("spec.containers.0.resources"), answer.at("spec.containers.0.image")]).toEqual([
      { requests: { cpu: "200m", memory: "1Gi" } },
      "i",
    ]);
    expect(answer.at("metadata.generation")).toBe(2);
  });

  test("keeps the QoS class, and resources other than cpu and memory", async () => {
    await pod("best");
    const answer = await resize("best", { resources: { requests: { cpu: "1" } } });
    expect([answer.status, answer.at("message")]).toEqual([
      422,
      'Pod "best" is invalid: spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing',
    ]);
    await pod("disk", { requests: { cpu: "1" } });
    const disk = await resize("disk", { resources: { requests: { "ephemeral-storage": "1Gi" } } });
    expect([disk.status, disk.at("message")]).toEqual([
      422,
      'Pod "disk" is invalid: spec: Forbidden: only cpu and memory resources are mutable',
    ]);
  });
});

describe("subresources of a CertificateSigningRequest", () => {
  const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const approved = { type: "Approved", status: "True", reason: "Test", message: "yes" };

  async function request(name: string, more: JsonObject = {}): Promise<JsonObject> {
    const pem = (await certificateRequest(`CN=${name}`)).request;
    const spec = {
      request: Buffer.from(pem).toString("base64"),
      signerName: "example.com/own",
      usages: ["client auth"],
      ...more,
    };
    const answer = await call(api, "POST", CSRS, { metadata: { name }, spec });
    if (answer.status !== 201) throw new Error(answer.text);
    return JSON.parse(answer.text) as JsonObject;
  }

  test("approval writes conditions with times, and nothing else", async () => {
    const csr = await request("yes");
    const answer = await call(api, "PUT", `${CSRS}/yes/approval`, {
      ...csr,
      spec: { ...(csr["spec"] as JsonObject), signerName: "example.com/other" },
      status: { conditions: [approved], certificate: "eA==" },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.at("spec.signerName")).toBe("example.com/own");
    expect(answer.at("status")).toEqual({
      conditions: [
        {
          ...approved,
          lastUpdateTime: expect.any(String) as string,
          lastTransitionTime: expect.any(String) as string,
        },
      ],
    });
    const undone = await call(api, "PATCH", `${CSRS}/yes/approval`, { status: { conditions: [] } }, MERGE);
    expect([undone.status, undone.at("details.causes.0.message")]).toEqual([
      422,
      'Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const denied = { type: "Denied", status: "True", reason: "Test", message: "no" };
    const both = await call(
      api,
      "PATCH",
      `${CSRS}/yes/approval`,
      { status: { conditions: [approved, denied] } },
      MERGE,
    );
    expect([both.status, both.at("details.causes.0")]).toEqual([
      422,
      {
        reason: "FieldValueInvalid",
        message: 'Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
        field: "status.conditions[1].type",
      },
    ]);
  });

  test("status writes the certificate, and refuses a decision", async () => {
    await request("status");
    const certificate = Buffer.from(cluster.caCertificate).toString("base64");
    const write = (status: JsonObject) => call(api, "PATCH", `${CSRS}/status/status`, { status }, MERGE);
    const decided = await write({ certificate, conditions: [approved] });
    expect([decided.status, decided.at("details.causes.0.message")]).toEqual([
      422,
      'Forbidden: updates may not add a condition of type "Approved"',
    ]);
    expect((await write({ certificate })).at("status")).toEqual({ certificate });
    await call(api, "PATCH", `${CSRS}/status/approval`, { status: { conditions: [approved] } }, MERGE);
    const stored = (await call(api, "GET", `${CSRS}/status`)).at("status.conditions");
    expect((await write({ conditions: [{ ...approved, message: "other" }] })).at("status.conditions")).toEqual(stored);
    const undone = await write({ conditions: [] });
    expect([undone.status, undone.at("details.causes.0.message")]).toEqual([
      422,
      'Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const other = Buffer.from(cluster.caCertificate.repeat(2)).toString("base64");
    const again = await call(api, "PATCH", `${CSRS}/status/status`, { status: { certificate: other } }, MERGE);
    expect([again.status, again.at("details.causes.0.message")]).toEqual([
      422,
      "Forbidden: updates may not modify existing certificate content",
    ]);
  });

  test("an approved request that the cluster's signer cannot sign fails", async () => {
    const signerName = "kubernetes.io/kube-apiserver-client";
    await request("server", { signerName, usages: ["client auth", "server auth"] });
    await call(api, "PATCH", `${CSRS}/server/approval`, { status: { conditions: [approved] } }, MERGE);
    await eventually(async () => {
      expect((await call(api, "GET", `${CSRS}/server`)).at("status.conditions.1")).toMatchObject({
        type: "Failed",
        status: "True",
        reason: "SignerValidationFailure",
        message: "invalid usage for client certificate: server auth",
      });
    });
  });

  test("an approval condition with status False is no approval", async () => {
    await request("false");
    const wrong = { ...approved, status: "False" };
    const answer = await call(api, "PATCH", `${CSRS}/false/approval`, { status: { conditions: [wrong] } }, MERGE);
    expect([answer.status, answer.at("details.causes.0.message")]).toEqual([
      422,
      'Unsupported value: "False": supported values: "True"',
    ]);
  });
});

describe("the subresource scale", () => {
  const labels = { app: "s" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  test.each([
    ["/apis/apps/v1/namespaces/default/deployments", { selector: { matchLabels: labels }, template }],
    ["/apis/apps/v1/namespaces/default/replicasets", { selector: { matchLabels: labels }, template }],
    [
      "/apis/apps/v1/namespaces/default/statefulsets",
      { selector: { matchLabels: labels }, serviceName: "s", template },
    ],
    ["/api/v1/namespaces/default/replicationcontrollers", { selector: labels, template }],
  ])("reads and writes the replicas of %s", async (path, spec) => {
    const created = await call(api, "POST", path, { metadata: { name: "s" }, spec });
    expect(created.status, created.text).toBe(201);
    const scaled = await call(api, "PATCH", `${path}/s/scale`, { spec: { replicas: 3 } }, MERGE);
    expect([scaled.at("spec.replicas"), scaled.at("status"), scaled.at("metadata.uid")]).toEqual([
      3,
      { replicas: 0, selector: "app=s" },
      created.at("metadata.uid"),
    ]);
    const object = await call(api, "GET", `${path}/s`);
    expect([object.at("spec.replicas"), object.at("metadata.generation")]).toEqual([3, 2]);
  });

  test("is a table of one row for a client that asks for it", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/s/scale";
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const table = await call(api, "GET", path, undefined, { accept });
    const columns = table.at("columnDefinitions") as readonly JsonObject[];
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Desired", "integer"],
      ["Available", "integer"],
      ["Age", "string"],
    ]);
    expect((table.at("rows.0.cells") as readonly unknown[]).slice(0, 3)).toEqual(["s", 3, 0]);
    expect(table.at("rows.0.object.kind")).toBe("PartialObjectMetadata");
    const bare = await call(api, "GET", `${path}?includeObject=None`, undefined, { accept });
    expect(bare.at("rows.0.object")).toBe(null);
  });
});
