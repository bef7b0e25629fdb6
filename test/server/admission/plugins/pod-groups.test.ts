import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseOf } from "../../../../src/api/facts/index.js";
import { create, expectAnswer, expectTaken, merge, podOf, PODS, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups";
const WORKLOADS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/workloads";
const FINALIZER = "scheduling.k8s.io/podgroup-protection";
const GANG = { gang: { minCount: 2 } };

const group = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "g", ...metadata },
  spec: { schedulingPolicy: GANG, ...spec },
});
const of = (workloadName: string, podGroupTemplateName: string): object => ({
  podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } },
});

let server: AdmittingServer;
beforeAll(async () => {
  server = await admittingServer({}, undefined, undefined, {
    release: await releaseOf("1.36"),
    runtimeConfig: { "scheduling.k8s.io/v1alpha2": true },
  });
  const podGroupTemplates = ["workers", "leaders"].map((name) => ({ name, schedulingPolicy: GANG }));
  await expectTaken(create(server.api, WORKLOADS, { metadata: { name: "train" }, spec: { podGroupTemplates } }));
});
afterAll(() => server[Symbol.asyncDispose]());

describe("the admission plugin PodGroupWorkloadExists", () => {
  const rejected = (what: string): string => `podgroups.scheduling.k8s.io "g" is forbidden: PodGroup rejected: ${what}`;
  const rows: readonly (readonly [title: string, spec: object, message: string])[] = [
    ["takes a group that names no Workload", {}, ""],
    ["takes a group of a Workload's template", of("train", "workers"), ""],
    ["takes a group of another template of it", of("train", "leaders"), ""],
    [
      "refuses a group of a template that the Workload does not have",
      of("train", "gone"),
      rejected('PodGroupTemplate "gone" not found in Workload "train"'),
    ],
    ["refuses a group of a Workload that does not exist", of("gone", "workers"), rejected('Workload "gone" not found')],
  ];
  test.each(rows)("%s", (_, spec, message) => expectAnswer(tryCreate(server.api, GROUPS, group(spec)), message));

  test("ignores updates", async () => {
    const mortal = {
      metadata: { name: "mortal" },
      spec: { podGroupTemplates: [{ name: "t", schedulingPolicy: GANG }] },
    };
    await expectTaken(create(server.api, WORKLOADS, mortal));
    await expectTaken(create(server.api, GROUPS, group(of("mortal", "t"), { name: "orphan" })));
    await server.api.send({ method: "DELETE", path: `${WORKLOADS}/mortal`, headers: {} });
    await expectTaken(merge(server.api, `${GROUPS}/orphan`, { metadata: { labels: { a: "b" } } }));
  });
});

describe("the admission plugin PodGroupProtection", () => {
  const rows: readonly (readonly [title: string, body: object, has: readonly string[]])[] = [
    ["protects a new group", group(), [FINALIZER]],
    ["adds itself behind the group's own finalizers", group({}, { finalizers: ["a.b/c"] }), ["a.b/c", FINALIZER]],
    ["leaves a group that is protected already", group({}, { finalizers: [FINALIZER, "a.b/c"] }), [FINALIZER, "a.b/c"]],
  ];
  test.each(rows)("%s", async (_, body, has) => {
    expect((await expectTaken(tryCreate(server.api, GROUPS, body))).at("metadata.finalizers")).toEqual(has);
  });

  test("ignores Workloads and pods", async () => {
    const workload = { metadata: { name: "w" }, spec: { podGroupTemplates: [{ name: "t", schedulingPolicy: GANG }] } };
    expect((await expectTaken(tryCreate(server.api, WORKLOADS, workload))).at("metadata.finalizers")).toBeUndefined();
    expect((await expectTaken(tryCreate(server.api, PODS, podOf()))).at("metadata.finalizers")).toBeUndefined();
  });

  test("lets an update remove the finalizer", async () => {
    await expectTaken(create(server.api, GROUPS, group({}, { name: "free" })));
    const changed = await expectTaken(merge(server.api, `${GROUPS}/free`, { metadata: { finalizers: null } }));
    expect(changed.at("metadata.finalizers")).toBeUndefined();
  });
});

test("a server without PodGroups runs both plugins and answers 404", async () => {
  await using other = await admittingServer({});
  await expectAnswer(create(other.api, GROUPS, group()), "the server could not find the requested resource", 404);
});
