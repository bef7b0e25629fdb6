import { describe, expect, test } from "vitest";
import { releaseOf } from "../../src/api/facts/index.js";
import type { Pod } from "../../src/api/types/core/v1.js";
import type {
  Device,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  ResourceClaim,
  ResourceSlice,
} from "../../src/api/types/resource/v1.js";
import type { ApiObject } from "../../src/machinery/meta/object.js";
import { podInfo } from "../../src/scheduler/cache/pod-info.js";
import type { SchedulerHandle } from "../../src/scheduler/framework/plugin.js";
import { allocate, devicesFor } from "../../src/scheduler/plugins/dynamic-resources/allocate.js";
import { deviceMatcher } from "../../src/scheduler/plugins/dynamic-resources/device-selector.js";
import { dynamicResources } from "../../src/scheduler/plugins/dynamic-resources/dynamic-resources.js";
import { cacheOf, following, node, nodeInfo, placed, pod } from "./cluster-state.js";

const DRIVER = "gpu.example.com";
const matches = deviceMatcher();
const gpu = (name: string, more: Partial<Device> = {}): Device => ({ name, ...more });
const slice = (on: string, devices: Device[], more: Partial<ResourceSlice["spec"]> = {}): ResourceSlice => ({
  metadata: { name: `${on}-${devices.length}` },
  spec: { driver: DRIVER, nodeName: on, pool: { name: on, generation: 1, resourceSliceCount: 1 }, devices, ...more },
});
const gpus: DeviceClass = {
  metadata: { name: "gpu" },
  spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
};
const ask = (more: Partial<NonNullable<DeviceRequest["exactly"]>> = {}, name = "one"): DeviceRequest => ({
  name,
  exactly: { deviceClassName: "gpu", ...more },
});
const claim = (
  requests: DeviceRequest[],
  more: { constraints?: DeviceConstraint[]; status?: ResourceClaim["status"]; name?: string } = {},
): ResourceClaim => ({
  metadata: { name: more.name ?? "c", namespace: "default", uid: more.name ?? "c" },
  spec: { devices: { requests, ...(more.constraints && { constraints: more.constraints }) } },
  ...(more.status && { status: more.status }),
});
const select = (expression: string) => ({ selectors: [{ cel: { expression } }] });

describe("the devices that a node offers for ResourceClaims", () => {
  const on = nodeInfo(node("a", { labels: { rack: "r1" } }));
  test.each<[string, ResourceSlice[], string[]]>([
    ["those of its own slices", [slice("a", [gpu("x")]), slice("b", [gpu("y")])], ["x"]],
    [
      "those that all nodes reach",
      [{ ...slice("p", [gpu("x")]), spec: { ...slice("p", [gpu("x")]).spec, nodeName: "", allNodes: true } }],
      ["x"],
    ],
    [
      "those that a selector of nodes gives it",
      [
        slice("p", [gpu("x")], {
          nodeName: "",
          nodeSelector: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "rack", operator: "In", values: ["r1"] }] }],
          },
        }),
      ],
      ["x"],
    ],
    [
      "those that name the node one by one",
      [
        slice("p", [gpu("x", { nodeName: "a" }), gpu("y", { nodeName: "b" })], {
          nodeName: "",
          perDeviceNodeSelection: true,
        }),
      ],
      ["x"],
    ],
    [
      "none of a pool whose slices are not all there",
      [slice("a", [gpu("x")], { pool: { name: "a", generation: 1, resourceSliceCount: 2 } })],
      [],
    ],
    [
      "none of an older generation of a pool",
      [slice("a", [gpu("x")]), slice("a", [gpu("y")], { pool: { name: "a", generation: 2, resourceSliceCount: 1 } })],
      ["y"],
    ],
    [
      "none that shares counters with others",
      [slice("a", [gpu("x", { consumesCounters: [{ counterSet: "s", counters: {} }] })])],
      [],
    ],
  ])("%s", (_title, slices, expected) => {
    expect(devicesFor(on, slices).map(({ device }) => device.name)).toEqual(expected);
  });
});

describe("the allocation of devices to ResourceClaims", () => {
  const memory = (size: string): Partial<Device> => ({ capacity: { memory: { value: size } } });
  const model = (name: string): Partial<Device> => ({ attributes: { model: { string: name } } });
  const devices = [
    gpu("small", { ...model("a"), ...memory("8Gi") }),
    gpu("big", { ...model("b"), ...memory("80Gi") }),
    gpu("other", model("b")),
  ];
  const run = (claims: ResourceClaim[], given = devices, taken: string[] = []) => {
    const on = nodeInfo(node("a"));
    const classes = (name: string) => (name === "gpu" ? gpus : undefined);
    const offered = devicesFor(on, [slice("a", given)]);
    return allocate({ claims, node: on, devices: offered, taken: new Set(taken), classes, matches });
  };
  const names = (found: ReturnType<typeof run>): string[] | undefined =>
    found?.flatMap(
      ({ devices: allocated }) => allocated?.results?.map(({ request, device }) => `${request}=${device}`) ?? [],
    );

  test.each<[string, ResourceClaim[], string[] | undefined]>([
    ["takes a device of the class", [claim([ask()])], ["one=small"]],
    ["takes as many as asked for", [claim([ask({ count: 2 })])], ["one=small", "one=big"]],
    ["fails where there are fewer", [claim([ask({ count: 4 })])], undefined],
    ["takes all that match", [claim([ask({ allocationMode: "All" })])], ["one=small", "one=big", "one=other"]],
    [
      "takes what an attribute selects",
      [claim([ask(select(`device.attributes["${DRIVER}"].model == "b"`))])],
      ["one=big"],
    ],
    [
      "takes what a capacity selects",
      [
        claim([
          ask(select(`device.capacity["${DRIVER}"].?memory.orValue(quantity("0")).compareTo(quantity("40Gi")) >= 0`)),
        ]),
      ],
      ["one=big"],
    ],
    ["fails where no device is selected", [claim([ask(select("false"))])], undefined],
    ["gives two requests two devices", [claim([ask(), ask({}, "two")])], ["one=small", "two=big"]],
    ["gives two claims two devices", [claim([ask()]), claim([ask({}, "two")])], ["one=small", "two=big"]],
    [
      "looks back where a first choice leaves too little",
      [claim([ask(), ask(select('device.attributes["gpu.example.com"].model == "a"'), "two")])],
      ["one=big", "two=small"],
    ],
    [
      "keeps devices of one attribute together",
      [claim([ask({ count: 2 })], { constraints: [{ matchAttribute: `${DRIVER}/model` }] })],
      ["one=big", "one=other"],
    ],
    [
      "keeps them apart",
      [claim([ask({ count: 2 })], { constraints: [{ distinctAttribute: `${DRIVER}/model` }] })],
      ["one=small", "one=big"],
    ],
    [
      "fails where three must be alike",
      [claim([ask({ count: 3 })], { constraints: [{ matchAttribute: `${DRIVER}/model` }] })],
      undefined,
    ],
    [
      "takes the first alternative that there is",
      [
        claim([
          {
            name: "one",
            firstAvailable: [
              { name: "huge", deviceClassName: "gpu", ...select("false") },
              { name: "any", deviceClassName: "gpu" },
            ],
          },
        ]),
      ],
      ["one/any=small"],
    ],
  ])("%s", (_title, claims, expected) => {
    expect(names(run(claims))).toEqual(expected);
  });

  test("skips devices that other claims have, except for administrators", () => {
    const taken = [`${DRIVER}/a/small`, `${DRIVER}/a/big`];
    expect(names(run([claim([ask()])], devices, taken))).toEqual(["one=other"]);
    expect(names(run([claim([ask({ adminAccess: true })])], devices, taken))).toEqual(["one=small"]);
  });

  test("skips tainted devices that the request does not tolerate", () => {
    const tainted = [gpu("x", { taints: [{ key: "broken", effect: "NoSchedule" }] })];
    expect(run([claim([ask()])], tainted)).toBeUndefined();
    expect(names(run([claim([ask({ tolerations: [{ key: "broken", operator: "Exists" }] })])], tainted))).toEqual([
      "one=x",
    ]);
  });

  test("names the node of local devices", () => {
    expect(run([claim([ask()])])?.[0]?.nodeSelector).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }],
    });
  });

  test("fails with the CEL expression that cannot be evaluated", () => {
    expect(() => run([claim([ask(select('device.attributes["gpu.example.com"].absent == "b"'))])])).toThrow(/absent/);
  });
});

describe("the scheduler plugin DynamicResources", () => {
  const using = (claimName: string): Pod =>
    pod("p", { resourceClaims: [{ name: "gpu", resourceClaimName: claimName }] });
  const outcome = async (objects: Readonly<Record<string, readonly ApiObject[]>>, of: Pod): Promise<string> => {
    const plugin = dynamicResources({ kinds: following(objects) } as unknown as SchedulerHandle);
    await plugin.prepare?.(podInfo(of));
    return placed([plugin], cacheOf([node("a"), node("b")]), of);
  };
  const world = (claims: ResourceClaim[], slices: ResourceSlice[] = [slice("b", [gpu("x")])]) => ({
    ResourceClaim: claims,
    ResourceSlice: slices,
    DeviceClass: [gpus],
  });
  const none = (reason: string): string => `0/2 nodes are available: ${reason}.`;
  const onB = {
    nodeSelector: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: ["b"] }] }],
    },
  };
  test.each<[string, ReturnType<typeof world>, Pod, string]>([
    ["a pod goes to the node with the device that it claims", world([claim([ask()])]), using("c"), "b"],
    [
      "a pod goes to the node of an allocated claim",
      world([claim([ask()], { status: { allocation: onB } })], []),
      using("c"),
      "b",
    ],
    [
      "no node has enough devices",
      world([claim([ask({ count: 2 })])]),
      using("c"),
      none("2 cannot allocate all claims"),
    ],
    [
      "the devices are taken",
      world([
        claim([ask()]),
        claim([ask()], {
          name: "d",
          status: {
            allocation: { devices: { results: [{ request: "one", driver: DRIVER, pool: "b", device: "x" }] } },
          },
        }),
      ]),
      using("c"),
      none("2 cannot allocate all claims"),
    ],
    ["a claim that is not there", world([]), using("c"), none('resourceclaim.resource.k8s.io "c" not found')],
    [
      "a claim that is not made yet",
      world([]),
      pod("p", { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] }),
      none('waiting for dynamic resource controller to create the resourceclaim "gpu"'),
    ],
    [
      "a class that is not there",
      world([claim([ask({ deviceClassName: "tpu" })])]),
      using("c"),
      none("request one: device class tpu does not exist"),
    ],
  ])("%s", async (_title, objects, of, expected) => {
    expect(await outcome(objects, of)).toBe(expected);
  });
});

test("K37-249: the error about an attribute that a device lacks suggests in 1.37 how to test for it", async () => {
  const cel = { expression: `device.attributes["${DRIVER}"].absent == "b"` };
  const errorOf = async (version: string): Promise<string> => {
    try {
      return String(deviceMatcher(await releaseOf(version))([{ cel }], DRIVER, gpu("x")));
    } catch (error) {
      return String(error);
    }
  };
  expect(await errorOf("1.36")).toMatch(/no such key: absent$/);
  expect(await errorOf("1.37")).toMatch(
    /no such key: absent\. consider using CEL optional chaining \(\.\? followed by orValue\(\)\) or guarding the check with has\(\) for optional fields$/,
  );
});
