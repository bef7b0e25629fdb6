import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "../../../helpers/api-caller.js";
import { create, expectTaken, merge, podOf, PODS, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";

const NODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  both: { [ZONE]: "z1", [REGION]: "r1", "example.com/rack": "7" },
  zoned: { [ZONE]: "z2" },
  regional: { [REGION]: "r2" },
  beta: { "failure-domain.beta.kubernetes.io/zone": "z3", "topology.k8s.io/zone": "z3" },
  bare: {},
};

let server: AdmittingServer;
beforeAll(async () => {
  server = await admittingServer({});
  for (const [name, labels] of Object.entries(NODES)) {
    await expectTaken(create(server.api, "/api/v1/nodes", { metadata: { name, labels } }));
  }
});
afterAll(() => server[Symbol.asyncDispose]());

type Labels = Readonly<Record<string, string>> | undefined;
const rows: readonly (readonly [title: string, node: string, own: Labels, has: Labels])[] = [
  ["gets the zone and the region of its node, and no other label", "both", undefined, { [ZONE]: "z1", [REGION]: "r1" }],
  ["keeps its own labels", "both", { app: "web" }, { app: "web", [ZONE]: "z1", [REGION]: "r1" }],
  ["has another zone replaced", "both", { [ZONE]: "mine" }, { [ZONE]: "z1", [REGION]: "r1" }],
  ["gets only the zone of a node without a region", "zoned", undefined, { [ZONE]: "z2" }],
  ["keeps a region that its node does not have", "zoned", { [REGION]: "mine" }, { [REGION]: "mine", [ZONE]: "z2" }],
  ["gets only the region of a node without a zone", "regional", undefined, { [REGION]: "r2" }],
  ["gets nothing of the labels of other names", "beta", undefined, undefined],
  ["gets nothing of a node without labels", "bare", { app: "web" }, { app: "web" }],
  ["gets nothing of a node that does not exist", "gone", { app: "web" }, { app: "web" }],
];

describe("PodTopologyLabels: a pod that is created on a node", () => {
  test.each(rows)("%s", async (_, nodeName, labels, has) => {
    const made = await expectTaken(tryCreate(server.api, PODS, podOf({ nodeName }, { labels })));
    expect(made.at("metadata.labels")).toEqual(has);
  });
});

describe("PodTopologyLabels: a pod that is bound to a node", () => {
  const bind = async (name: string, labels: Labels, target: object, metadata: object = {}) => {
    await expectTaken(create(server.api, PODS, podOf({}, { name, labels })));
    const body = { metadata: { name, ...metadata }, target };
    await expectTaken(create(server.api, `${PODS}/${name}/binding`, body));
    return (await call(server.api, "GET", `${PODS}/${name}`)).at("metadata.labels");
  };
  test.each(rows.map(([title, ...rest], index) => [title, `b${index}`, ...rest] as const))(
    "%s",
    async (_, name, node, labels, has) => {
      expect(await bind(name, labels, { kind: "Node", name: node })).toEqual(has);
    },
  );

  test("keeps its labels when the binding names no kind", async () => {
    expect(await bind("unkind", { app: "web" }, { name: "both" })).toEqual({ app: "web" });
  });

  test("has labels of the binding replaced too", async () => {
    const labels = { [ZONE]: "other", a: "b" };
    expect(await bind("labelled", undefined, { kind: "Node", name: "both" }, { labels })).toEqual({
      a: "b",
      [ZONE]: "z1",
      [REGION]: "r1",
    });
  });
});

test("PodTopologyLabels leaves the labels of a pod without a node", async () => {
  const made = await expectTaken(tryCreate(server.api, PODS, podOf({}, { labels: { [ZONE]: "mine" } })));
  expect(made.at("metadata.labels")).toEqual({ [ZONE]: "mine" });
});

test("PodTopologyLabels does not restore labels at an update", async () => {
  await expectTaken(create(server.api, PODS, podOf({ nodeName: "both" }, { name: "unlabelled" })));
  const changed = await expectTaken(
    merge(server.api, `${PODS}/unlabelled`, { metadata: { labels: { [ZONE]: null } } }),
  );
  expect(changed.at("metadata.labels")).toEqual({ [REGION]: "r1" });
});
