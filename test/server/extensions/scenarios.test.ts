import { mkdtemp, rm } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";

const API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const string = { type: "string" };
const MERGE = { type: "application/merge-patch+json" };

/** The definition of the texts' CronTab. */
const cronTabs: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", singular: "crontab", kind: "CronTab", shortNames: ["ct"] },
    versions: [versionOf("v1", { cronSpec: string, image: string, replicas: { type: "integer" } })],
  },
};
const cronTab: JsonObject = {
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name: "my-new-cron-object" },
  spec: { cronSpec: "* * * * */5", image: "my-awesome-cron-image" },
};

describe("on a running server", () => {
  let cluster: Cluster;
  let api: Transport;
  const faults: unknown[] = [];

  beforeAll(async () => {
    cluster = await startCluster({ port: false, onError: (error) => faults.push(error) });
    api = cluster.transport();
  });
  afterAll(async () => {
    expect(faults).toEqual([]);
    await cluster.close();
  });

  const conditionsOf = async (name: string): Promise<readonly unknown[]> => {
    const found = await call(api, "GET", `${DEFINITIONS}/${name}`);
    const conditions = (found.at("status.conditions") ?? []) as readonly JsonObject[];
    return conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
  };
  const namesIn = (items: unknown): unknown[] =>
    (items as readonly { readonly metadata: JsonObject }[]).map(({ metadata }) => metadata["name"]);

  test("AT-28: the CronTab definition of the source texts is served, listed in discovery, and has an APIService", async () => {
    await install(api, cronTabs);
    const crontabs = "/apis/stable.example.com/v1/namespaces/default/crontabs";
    expect((await call(api, "POST", crontabs, cronTab)).status).toBe(201);
    expect((await call(api, "GET", `${crontabs}/my-new-cron-object`)).at("spec")).toEqual(cronTab["spec"]);
    expect((await call(api, "GET", "/apis/stable.example.com/v1")).at("resources")).toEqual([
      {
        name: "crontabs",
        singularName: "crontab",
        namespaced: true,
        kind: "CronTab",
        verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
        shortNames: ["ct"],
      },
    ]);
    await eventually(async () => {
      const service = await call(api, "GET", `${API_SERVICES}/v1.stable.example.com`);
      expect([service.status, service.at("spec")]).toEqual([
        200,
        { group: "stable.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
      ]);
    });
  });

  test("AT-27: a deleted definition is removed after its objects, and none can be created meanwhile", async () => {
    const group = "at27.example.com";
    await install(api, boxDefinition(group, [versionOf("v1", { a: string })]));
    for (const name of ["one", "two"]) await call(api, "POST", boxesOf(group), { metadata: { name } });
    const held = { metadata: { name: "held", finalizers: ["example.com/hold"] } };
    await call(api, "POST", boxesOf(group), held);
    const deleted = await call(api, "DELETE", `${DEFINITIONS}/boxes.${group}`);
    expect(deleted.status).toBe(200);
    await eventually(async () => {
      expect(namesIn((await call(api, "GET", boxesOf(group))).at("items"))).toEqual(["held"]);
    });
    const late = await call(api, "POST", boxesOf(group), { metadata: { name: "late" } });
    expect([late.status, late.at("reason"), late.at("message")]).toEqual([
      405,
      "MethodNotAllowed",
      "create not allowed while custom resource definition is terminating",
    ]);
    expect((await conditionsOf(`boxes.${group}`)).at(-1)).toEqual([
      "Terminating",
      "True",
      "InstanceDeletionInProgress",
      "CustomResource deletion is in progress",
    ]);
    await call(api, "PATCH", `${boxesOf(group)}/held`, { metadata: { finalizers: null } }, MERGE);
    await eventually(async () => {
      expect((await call(api, "GET", `${DEFINITIONS}/boxes.${group}`)).status).toBe(404);
      expect((await call(api, "GET", boxesOf(group))).status).toBe(404);
    });
    await install(api, boxDefinition(group, [versionOf("v1", { a: string })]));
    expect((await call(api, "GET", boxesOf(group))).at("items")).toEqual([]);
  });

  test("T19: a definition goes through its life, from Established and discovery to the 404 of its objects", async () => {
    const group = "t19.example.com";
    const unknown = await call(api, "GET", boxesOf(group));
    expect(unknown.status).toBe(404);
    await install(api, boxDefinition(group, [versionOf("v1", { a: { ...string, description: "The text of it." } })]));
    expect(await conditionsOf(`boxes.${group}`)).toEqual([
      ["NamesAccepted", "True", "NoConflicts", "no conflicts found"],
      ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"],
    ]);
    expect((await call(api, "GET", `/apis/${group}/v1`)).at("resources.0.kind")).toBe("Box");
    const { text: openApi } = await call(api, "GET", `/openapi/v3/apis/${group}/v1`);
    expect(openApi).toContain("The text of it.");
    // kubectl apply takes what the PATCH of OpenAPI names for what the server takes.
    expect(openApi).toContain("application/merge-patch+json");
    expect(openApi).not.toContain("application/strategic-merge-patch+json");
    expect((await call(api, "GET", "/openapi/v2")).text).toContain("The text of it.");
    await eventually(async () => {
      expect((await call(api, "GET", `${API_SERVICES}/v1.${group}`)).status).toBe(200);
    });
    expect((await call(api, "POST", boxesOf(group), { metadata: { name: "a" } })).status).toBe(201);
    expect((await call(api, "GET", `${boxesOf(group)}/b`)).at("message")).toBe(`boxes.${group} "b" not found`);
    await call(api, "DELETE", `${DEFINITIONS}/boxes.${group}`);
    await eventually(async () => {
      expect((await call(api, "GET", `${boxesOf(group)}/a`)).text).toBe("404 page not found\n");
      expect((await call(api, "GET", "/apis")).text).not.toContain(group);
      expect((await call(api, "GET", `${API_SERVICES}/v1.${group}`)).status).toBe(404);
      expect((await call(api, "GET", "/openapi/v2")).text).not.toContain("The text of it.");
    });
  });

  test("T19: conflicting names and an unapproved Kubernetes group are shown as conditions", async () => {
    const group = "conflict.t19.example.com";
    await install(api, boxDefinition(group, [versionOf("v1", { a: string })]));
    const names = { plural: "cases", singular: "box", kind: "Case", listKind: "CaseList" };
    const second = {
      ...boxDefinition(group, [versionOf("v1", { a: string })], { names }),
      metadata: { name: `cases.${group}` },
    };
    expect((await call(api, "POST", DEFINITIONS, second)).status).toBe(201);
    await eventually(async () => {
      expect(await conditionsOf(`cases.${group}`)).toEqual([
        ["NamesAccepted", "False", "SingularConflict", '"box" is already in use'],
        ["Established", "False", "NotAccepted", "not all names are accepted"],
      ]);
    });
    const own = boxDefinition("t19.k8s.io", [versionOf("v1", { a: string })]);
    const refused = await call(api, "POST", DEFINITIONS, own);
    expect([refused.status, refused.at("message")]).toEqual([
      422,
      expect.stringContaining(
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ),
    ]);
    const approval = { "api-approved.kubernetes.io": "unapproved, experimental-only" };
    const metadata = { name: "boxes.t19.k8s.io", annotations: approval };
    expect((await call(api, "POST", DEFINITIONS, { ...own, metadata })).status).toBe(201);
    await eventually(async () => {
      expect(await conditionsOf("boxes.t19.k8s.io")).toContainEqual([
        "KubernetesAPIApprovalPolicyConformant",
        "False",
        "UnapprovedAnnotation",
        'not approved: "unapproved, experimental-only"',
      ]);
    });
  });
});

describe("on a server that starts again", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-crd-restart-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const start = (more: ClusterOptions = {}): Promise<Cluster> =>
    startCluster({ storage: "disk", dataDir: folder, ...more });

  test("EXT-10, C-AGG-04, T23: stored definitions are served from the first answer on, and keep their APIServices", async () => {
    const first = await start({ port: false });
    await install(first.transport(), cronTabs);
    await call(first.transport(), "POST", "/apis/stable.example.com/v1/namespaces/default/crontabs", cronTab);
    let uid: unknown;
    await eventually(async () => {
      const service = await call(first.transport(), "GET", `${API_SERVICES}/v1.stable.example.com`);
      expect(service.status).toBe(200);
      uid = service.at("metadata.uid");
    });
    const { token } = first;
    await first.close();
    const [port = 0] = await freePorts(1);
    const starting = start({ port });
    const answers: (number | string)[] = [];
    let started: Cluster | undefined;
    void starting.then((cluster) => (started = cluster));
    const path = "/apis/stable.example.com/v1/namespaces/default/crontabs/my-new-cron-object";
    while (answers.at(-1) !== 200 && answers.length < 100_000) answers.push(await statusOf(port, path, token));
    // Refused until the port is open, then 503 until the definitions are known; never 404.
    expect([...new Set(answers)].filter((answer) => answer !== "ECONNREFUSED" && answer !== 503)).toEqual([200]);
    const again = started ?? (await starting);
    try {
      const ready = await call(again.transport(), "GET", "/readyz?verbose");
      expect(ready.text).toContain("[+]poststarthook/start-apiextensions-controllers ok\n");
      const service = await call(again.transport(), "GET", `${API_SERVICES}/v1.stable.example.com`);
      expect(service.at("metadata.uid")).toBe(uid);
    } finally {
      await again.close();
    }
  });
});

/** The status of a GET, or why there is none. */
function statusOf(port: number, path: string, token: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const asking = httpsRequest(
      { host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false },
      (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    asking.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? String(error)));
    asking.end();
  });
}
