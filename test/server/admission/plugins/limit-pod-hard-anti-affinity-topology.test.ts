import { afterAll, beforeAll, describe, test } from "vitest";
import { create, expectAnswer, podOf, PODS, tryCreate, tryMerge } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({ enable: ["LimitPodHardAntiAffinityTopology"] });
});

afterAll(() => server[Symbol.asyncDispose]());

const term = (topologyKey: string): object => ({ topologyKey, labelSelector: { matchLabels: { app: "web" } } });
const apart = (...keys: string[]): object => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: keys.map(term) },
});
const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term("zone") }] };
const refusal = (key: string): string =>
  `pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key kubernetes.io/hostname is allowed`;

describe("the admission plugin LimitPodHardAntiAffinityTopology", () => {
  const rows: readonly (readonly [title: string, affinity: object | undefined, message: string])[] = [
    ["a pod without affinity is let pass", undefined, ""],
    ["a pod that must be on another node is let pass", apart("kubernetes.io/hostname"), ""],
    [
      "a pod that must be in another zone is refused",
      apart("topology.kubernetes.io/zone"),
      refusal("topology.kubernetes.io/zone"),
    ],
    ["the second term counts too", apart("kubernetes.io/hostname", "zone"), refusal("zone")],
    ["the first of several wrong terms is named", apart("rack", "zone"), refusal("rack")],
    ["a pod that would rather be in another zone is let pass", { podAntiAffinity: preferred }, ""],
    [
      "a pod that must be in the same zone is let pass",
      { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("zone")] } },
      "",
    ],
  ];
  test.each(rows)("%s", async (_, affinity, message) => {
    await expectAnswer(tryCreate(server.api, PODS, podOf({ affinity })), message);
  });

  test("accepts an update of another field, and ignores a Deployment's template", async () => {
    await expectAnswer(create(server.api, PODS, podOf({ affinity: apart("kubernetes.io/hostname") })), "");
    await expectAnswer(tryMerge(server.api, `${PODS}/p`, { metadata: { labels: { a: "b" } } }), "");
    const template = { metadata: { labels: { app: "web" } }, ...podOf({ affinity: apart("zone") }) };
    const spec = {
      selector: { matchLabels: { app: "web" } },
      template: { ...template, metadata: { labels: { app: "web" } } },
    };
    const path = "/apis/apps/v1/namespaces/default/deployments";
    await expectAnswer(tryCreate(server.api, path, { metadata: { name: "d" }, spec }), "");
  });
});
