import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CertificateSigningRequest } from "../../src/api/types/certificates/v1.js";
import type { ClusterRole, PolicyRule } from "../../src/api/types/rbac/v1.js";
import { certificateRequestCleaner, endOf } from "../../src/controllers/certificates/request-cleaner.js";
import {
  aggregatedRules,
  clusterRoleAggregation,
} from "../../src/controllers/cluster-role-aggregation/cluster-role-aggregation-controller.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";
import { certificateRequest } from "../helpers/certificate-request.js";
import { eventually } from "../helpers/eventually.js";
import { type ManualControllers, manualControllers, runControllers } from "../helpers/manual-controllers.js";

const rule = (resource: string): PolicyRule => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const role = (name: string, labels: Record<string, string>, ...resources: string[]): ClusterRole => ({
  metadata: { name, labels },
  rules: resources.map(rule),
});

describe("the rules of an aggregated ClusterRole", () => {
  const sum = (...labels: Record<string, string>[]): ClusterRole => ({
    metadata: { name: "sum", labels: { to: "sum" } },
    aggregationRule: { clusterRoleSelectors: labels.map((matchLabels) => ({ matchLabels })) },
    rules: [rule("own")],
  });
  const roles = [
    role("b", { to: "sum" }, "pods", "nodes"),
    role("a", { to: "sum", also: "x" }, "pods"),
    role("c", {}, "c"),
  ];
  test.each([
    ["are of those selected, by name, once", sum({ to: "sum" }), ["pods", "nodes"]],
    ["are of each selector in turn", sum({ also: "x" }, { to: "sum" }), ["pods", "nodes"]],
    ["are none where nothing is selected", sum({ to: "nothing" }), []],
    ["are none without selectors", sum(), []],
  ])("%s", (_, one, resources) => {
    const rules = aggregatedRules(one, [one, ...roles]);
    expect(rules.flatMap((each) => each.resources)).toEqual(resources);
  });
});

describe("a certificate signing request is deleted after some time:", () => {
  const time = "2026-01-01T00:00:00Z";
  const hours = (count: number): number => Date.parse(time) + count * 3_600_000;
  const request = (type?: string, certificate?: string): CertificateSigningRequest =>
    ({
      metadata: { name: "r", creationTimestamp: time },
      spec: {},
      status: {
        ...(type && { conditions: [{ type, status: "True", lastUpdateTime: time }] }),
        ...(certificate && { certificate }),
      },
    }) as CertificateSigningRequest;
  test.each([
    ["one that nothing decides", request(), hours(24)],
    ["a denied one", request("Denied"), hours(1)],
    ["a failed one", request("Failed"), hours(1)],
    ["an approved one without a certificate", request("Approved"), undefined],
    ["an approved one with a certificate", request("Approved", "bm90IG9uZQ=="), hours(1)],
  ])("%s", (_, one, end) => {
    expect(endOf(one)).toBe(end);
  });
});

describe("on a server with controllers", () => {
  let run: ManualControllers;
  const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

  beforeAll(async () => {
    run = await manualControllers(clusterRoleAggregation, certificateRequestCleaner);
  });

  afterAll(() => run.close());

  test("the aggregated roles of a new cluster have rules from the start", async () => {
    await run.pass(1000);
    const roles = objects((await call(run.api, "GET", ROLES)).at("items"));
    const managers = roles.flatMap(({ metadata }) => objects(object(metadata)["managedFields"]));
    expect(managers.filter(({ manager }) => text(manager) === "clusterrole-aggregation-controller")).toEqual([]);
  });

  test("an aggregated role follows the roles that it selects", async () => {
    const clusterRoleSelectors = [{ matchLabels: { to: "sum" } }];
    await call(run.api, "POST", ROLES, {
      metadata: { name: "sum" },
      aggregationRule: { clusterRoleSelectors },
      rules: [],
    });
    await call(run.api, "POST", ROLES, {
      metadata: { name: "part", labels: { to: "sum" } },
      rules: [{ ...rule("pods") }],
    } as never);
    await eventually(async () =>
      expect((await call(run.api, "GET", `${ROLES}/sum`)).at("rules")).toEqual([rule("pods")]),
    );
  });

  test("an aggregated role stays deleted when it is deleted while the controller writes its rules", async () => {
    // A server without the controller: another one would write the rules first, and leave nothing to race for.
    const bare = await manualControllers(certificateRequestCleaner);
    const transport: Transport = {
      async send(request) {
        // Between the read of the cache and the write, as another client may.
        if (request.method === "PATCH") await call(bare.api, "DELETE", `${ROLES}/fleeting`);
        return bare.api.send(request);
      },
      close: () => bare.api.close(),
    };
    const racing = await runControllers(transport, bare.time, [clusterRoleAggregation]);
    const clusterRoleSelectors = [{ matchLabels: { to: "fleeting" } }];
    await call(bare.api, "POST", ROLES, { metadata: { name: "fleeting" }, aggregationRule: { clusterRoleSelectors } });
    await call(bare.api, "POST", ROLES, {
      metadata: { name: "part-of-fleeting", labels: { to: "fleeting" } },
      rules: [{ ...rule("pods") }],
    } as never);
    await eventually(async () => expect((await call(bare.api, "GET", `${ROLES}/fleeting`)).status).toBe(404));
    await racing.pass(10_000, 1000);
    expect((await call(bare.api, "GET", `${ROLES}/fleeting`)).status).toBe(404);
    expect(racing.problems).toEqual([]);
    await racing.close();
    await bare.close();
  });

  test("a certificate request that nobody decides is deleted after a day", async () => {
    const pem = (await certificateRequest("CN=jane")).request;
    const spec = {
      request: Buffer.from(pem).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
    };
    expect((await call(run.api, "POST", REQUESTS, { metadata: { name: "jane" }, spec })).status).toBe(201);
    await run.pass(23 * 3_600_000);
    expect((await call(run.api, "GET", `${REQUESTS}/jane`)).status).toBe(200);
    await run.pass(3_600_001);
    await eventually(async () => expect((await call(run.api, "GET", `${REQUESTS}/jane`)).status).toBe(404));
    expect(run.problems).toEqual([]);
  });
});
