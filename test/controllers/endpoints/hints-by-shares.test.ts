import { describe, expect, onTestFinished, test } from "vitest";
import type { Node } from "../../../src/api/types/core/v1.js";
import type { Endpoint, EndpointSlice } from "../../../src/api/types/discovery/v1.js";
import { startCluster } from "../../../src/cluster/index.js";
import {
  wantsShares,
  hintsByShares,
  changesShares,
  isOverloaded,
  zoneShares,
} from "../../../src/controllers/endpoint-slice/hints.js";
import { objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const ZONE = "topology.kubernetes.io/zone";

function node(
  zone: string,
  cpu: string,
  { ready = "True", labels = {} }: { ready?: string; labels?: object } = {},
): Node {
  return {
    metadata: { name: zone, labels: { ...(zone && { [ZONE]: zone }), ...labels } },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: ready as "True" }] },
  };
}

describe("the share of CPUs that each zone has, for topology hints,", () => {
  test.each<[string, Node[], [string, number][] | undefined]>([
    [
      "of equal zones",
      [node("b", "2"), node("a", "2")],
      [
        ["a", 0.5],
        ["b", 0.5],
      ],
    ],
    [
      "of a larger zone",
      [node("a", "1500m"), node("a", "1500m"), node("b", "1")],
      [
        ["a", 0.75],
        ["b", 0.25],
      ],
    ],
    [
      "of ready nodes alone",
      [node("a", "1"), node("b", "1"), node("b", "8", { ready: "False" })],
      [
        ["a", 0.5],
        ["b", 0.5],
      ],
    ],
    [
      "without the control plane",
      [node("a", "1"), node("b", "1"), node("b", "8", { labels: { "node-role.kubernetes.io/control-plane": "" } })],
      [
        ["a", 0.5],
        ["b", 0.5],
      ],
    ],
    ["of one zone are none", [node("a", "1"), node("a", "1")], undefined],
    ["with a node of no zone are none", [node("a", "1"), node("b", "1"), node("", "1")], undefined],
    ["with a node of no CPU are none", [node("a", "1"), node("b", "0")], undefined],
    ["without nodes are none", [], undefined],
  ])("%s", (_, nodes, shares) => {
    const found = zoneShares(nodes);
    expect(found && [...found]).toEqual(shares);
  });

  test.each([
    ["another zone", node("b", "1"), true],
    ["more CPU", node("a", "2"), true],
    ["that is not ready any more", node("a", "1", { ready: "Unknown" }), true],
    ["with another label", node("a", "1", { labels: { other: "x" } }), false],
  ])("changes with a node of %s: %#", (_, after, changes) => {
    expect(changesShares(node("a", "1"), after)).toBe(changes);
  });

  test.each<[string, Record<string, number>, Record<string, number> | undefined, boolean]>([
    ["even", { a: 2, b: 2 }, { a: 0.5, b: 0.5 }, false],
    ["a little uneven", { a: 5, b: 6 }, { a: 0.5, b: 0.5 }, false],
    ["uneven", { a: 1, b: 3 }, { a: 0.5, b: 0.5 }, true],
    ["without a zone", { a: 4 }, { a: 0.5, b: 0.5 }, true],
    ["of nodes whose shares are not known", { a: 1 }, undefined, true],
    ["of nothing", {}, undefined, false],
  ])("shows whether endpoints that are %s overload a zone: %#", (_, zones, shares, overloaded) => {
    expect(isOverloaded(new Map(Object.entries(zones)), shares && new Map(Object.entries(shares)))).toBe(overloaded);
  });
});

/** A slice of endpoints, one by zone and hint: "a", "a>b" with a hint for another zone, "a-" not ready, "" without a zone. */
function slice(...endpoints: string[]): EndpointSlice {
  return {
    addressType: "IPv4",
    endpoints: endpoints.map((each, index): Endpoint => {
      const [from = "", hint] = each.split(">");
      const zone = from.replace("-", "");
      return {
        addresses: [`10.0.0.${index}`],
        conditions: { ready: !from.includes("-") },
        ...(zone && { zone }),
        ...(hint && { hints: { forZones: [{ name: hint }] } }),
      };
    }),
  };
}

const shown = (slices: readonly EndpointSlice[]): string[][] =>
  slices.map(({ endpoints }) =>
    (endpoints ?? []).map(({ zone = "", hints, conditions }) => {
      const target = hints?.forZones?.map(({ name }) => name).join();
      return `${zone}${conditions?.ready === true ? "" : "-"}${target ? `>${target}` : ""}`;
    }),
  );

const EQUAL = new Map([
  ["a", 0.5],
  ["b", 0.5],
]);
const THIRDS = new Map([
  ["a", 2 / 3],
  ["b", 1 / 3],
]);
const FEW = (endpoints: number, zones: number) =>
  `Insufficient number of endpoints (${endpoints} endpoints, ${zones} zones)`;
const NODES = "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
const UNABLE =
  "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)";

describe("topology hints of endpoints", () => {
  test.each([
    ["are for an endpoint's zone", slice("a", "b"), EQUAL, ["a>a", "b>b"]],
    ["go to the zone that lacks endpoints", slice("a", "a", "a", "b"), EQUAL, ["a>b", "a>a", "a>a", "b>b"]],
    [
      "may all go to other zones",
      slice("c", "c"),
      new Map([
        ["a", 0.5],
        ["b", 0.5],
      ]),
      ["c>c", "c>c"],
    ],
    [
      "follow the zones' shares",
      slice("a", "b", "b", "b", "b", "b"),
      THIRDS,
      ["a>a", "b>a", "b>a", "b>a", "b>b", "b>b"],
    ],
    ["leave out what is not ready", slice("a", "b", "a-", "b->a"), EQUAL, ["a>a", "b>b", "a-", "b->a"]],
  ])("%s", (_, created, shares, hinted) => {
    const plan = hintsByShares({ create: [created], update: [], unchanged: [] }, shares);
    expect([plan.problem, shown(plan.create)]).toEqual([undefined, [hinted]]);
  });

  test.each([
    ["where nodes do not say enough", slice("a", "b"), undefined, NODES],
    ["of fewer endpoints than zones", slice("a"), EQUAL, FEW(1, 2)],
    ["of endpoints that are not ready", slice("a", "b-"), EQUAL, FEW(1, 2)],
    ["where each zone would need more", slice("a", "b", "b"), EQUAL, UNABLE],
    [
      "of an endpoint without a zone",
      slice("a", "b", "b", ""),
      EQUAL,
      "One or more endpoints do not have a zone specified",
    ],
  ])("are left out %s", (_, one, shares, problem) => {
    const plan = hintsByShares({ create: [one], update: [], unchanged: [slice(), slice()] }, shares);
    expect([plan.problem, plan.zones, plan.update]).toEqual([problem, undefined, []]);
    expect(shown(plan.create)).toEqual(shown([one]));
  });

  test("that are right are kept, in slices that do not change", () => {
    const plan = hintsByShares(
      { create: [], update: [], unchanged: [slice("a>a", "a>b"), slice("b>b", "a>a")] },
      EQUAL,
    );
    expect([plan.update, plan.zones]).toEqual([
      [],
      new Map([
        ["a", 2],
        ["b", 2],
      ]),
    ]);
  });

  test.each([
    ["missing", slice("a>a", "b"), ["a>a", "b>b"]],
    ["for a zone that is gone", slice("a>a", "b>z"), ["a>a", "b>b"]],
    ["too many for a zone", slice("a>a", "a>a", "b>a", "b>a"), ["a>a", "a>a", "b>b", "b>b"]],
  ])("that are %s are corrected", (_, unchanged, hinted) => {
    expect(shown(hintsByShares({ create: [], update: [], unchanged: [unchanged] }, EQUAL).update)).toEqual([hinted]);
  });

  test("are removed when they are no longer possible", () => {
    const unchanged = [slice("a>a", "b>b"), slice("a-")];
    expect(shown(hintsByShares({ create: [], update: [], unchanged }, undefined).update)).toEqual([["a", "b"]]);
  });

  test.each([
    [{ "service.kubernetes.io/topology-mode": "Auto" }, true],
    [{ "service.kubernetes.io/topology-mode": "auto" }, true],
    [{ "service.kubernetes.io/topology-aware-hints": "auto" }, true],
    [{ "service.kubernetes.io/topology-mode": "Disabled" }, false],
    [
      { "service.kubernetes.io/topology-aware-hints": "Disabled", "service.kubernetes.io/topology-mode": "Auto" },
      false,
    ],
    [{}, false],
  ])("are requested by annotations %j: %s", (annotations, wanted) => {
    expect(wantsShares({ metadata: { annotations: annotations as Record<string, string> } })).toBe(wanted);
  });
});

test("on a cluster, a Service with the topology annotation gets hints and an event", async () => {
  const controllers = [...(quietCluster.controllers || []), "endpointslice-controller"];
  const cluster = await startCluster({ port: false, ...quietCluster, controllers });
  onTestFinished(() => cluster.close());
  const ask = (method: string, path: string, body?: JsonObject, type?: string) =>
    call(cluster.transport(), method, path, body, type === undefined ? {} : { type });
  const merge = "application/merge-patch+json";
  const namespace = "/api/v1/namespaces/default";
  for (const zone of ["a", "b"]) {
    await ask("POST", "/api/v1/nodes", { metadata: { name: zone, labels: { [ZONE]: zone } } });
    const status = { allocatable: { cpu: "4" }, conditions: [{ type: "Ready", status: "True" }] };
    await ask("PATCH", `/api/v1/nodes/${zone}/status`, { status }, merge);
    const containers = [{ name: "c", image: "i" }];
    const metadata = { name: `pod-${zone}`, labels: { app: "web" } };
    await ask("POST", `${namespace}/pods`, { metadata, spec: { nodeName: zone, containers } });
    const podIP = `10.0.0.${zone === "a" ? 1 : 2}`;
    const running = {
      phase: "Running",
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [{ type: "Ready", status: "True" }],
    };
    await ask("PATCH", `${namespace}/pods/pod-${zone}/status`, { status: running }, merge);
  }
  const annotations = { "service.kubernetes.io/topology-mode": "Auto" };
  const spec = { selector: { app: "web" }, ports: [{ port: 80 }] };
  await ask("POST", `${namespace}/services`, { metadata: { name: "web", annotations }, spec });
  const slices =
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=web";
  const hints = async () =>
    objects((await ask("GET", slices)).at("items.0.endpoints")).map((endpoint) => [
      endpoint["zone"],
      endpoint["hints"],
    ]);
  await eventually(async () =>
    expect(new Map((await hints()) as [string, unknown][])).toEqual(
      new Map([
        ["a", { forZones: [{ name: "a" }] }],
        ["b", { forZones: [{ name: "b" }] }],
      ]),
    ),
  );
  const messages = async () =>
    objects((await ask("GET", `${namespace}/events?fieldSelector=involvedObject.name=web`)).at("items")).map(
      ({ reason, message }) => [text(reason), text(message)],
    );
  await eventually(async () =>
    expect(await messages()).toContainEqual([
      "TopologyAwareHintsEnabled",
      "Topology Aware Hints has been enabled, addressType: IPv4",
    ]),
  );
  await ask("DELETE", "/api/v1/nodes/b");
  await eventually(async () =>
    expect(await messages()).toContainEqual(["TopologyAwareHintsDisabled", `${NODES}, addressType: IPv4`]),
  );
});
