import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonValue } from "../../../../src/machinery/meta/json.js";
import { create, expectRefused, expectTaken, merge, podOf, PODS, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const CLASSES = "/apis/node.k8s.io/v1/runtimeclasses";
const OVERHEAD = { cpu: "100m", memory: "64Mi" };
const dedicated = { key: "kata", operator: "Equal", value: "yes", effect: "NoSchedule" };

let server: AdmittingServer;
beforeAll(async () => {
  // Without tolerations of DefaultTolerationSeconds a row shows those of the class alone.
  server = await admittingServer({ disable: ["DefaultTolerationSeconds"] });
  const classes: readonly (readonly [string, object])[] = [
    ["plain", {}],
    ["heavy", { overhead: { podFixed: OVERHEAD } }],
    ["weightless", { overhead: {} }],
    ["placed", { scheduling: { nodeSelector: { runtime: "kata", disk: "ssd" } } }],
    ["tolerant", { scheduling: { tolerations: [dedicated] } }],
    [
      "full",
      { overhead: { podFixed: OVERHEAD }, scheduling: { nodeSelector: { runtime: "kata" }, tolerations: [dedicated] } },
    ],
  ];
  for (const [name, more] of classes) {
    await expectTaken(create(server.api, CLASSES, { metadata: { name }, handler: "runc", ...more }));
  }
});
afterAll(() => server[Symbol.asyncDispose]());

describe("the admission plugin RuntimeClass, for a new pod:", () => {
  const rows: readonly (readonly [title: string, spec: object, path: string, has: JsonValue | undefined])[] = [
    ["without overhead has none", { runtimeClassName: "plain" }, "spec.overhead", undefined],
    ["gets the overhead of the class", { runtimeClassName: "heavy" }, "spec.overhead", OVERHEAD],
    ["may bring the same overhead", { runtimeClassName: "heavy", overhead: OVERHEAD }, "spec.overhead", OVERHEAD],
    [
      "may write the same overhead in another way, and has the class's",
      { runtimeClassName: "heavy", overhead: { cpu: "0.1", memory: "65536Ki" } },
      "spec.overhead",
      OVERHEAD,
    ],
    ["with an empty overhead has none", { runtimeClassName: "weightless" }, "spec.overhead", undefined],
    [
      "gets the node selector of the class",
      { runtimeClassName: "placed" },
      "spec.nodeSelector",
      { disk: "ssd", runtime: "kata" },
    ],
    [
      "keeps its own node selector beside the class's",
      { runtimeClassName: "placed", nodeSelector: { zone: "a", disk: "ssd" } },
      "spec.nodeSelector",
      { disk: "ssd", runtime: "kata", zone: "a" },
    ],
    ["has no node selector without one in the class", { runtimeClassName: "heavy" }, "spec.nodeSelector", undefined],
    ["gets the tolerations of the class", { runtimeClassName: "tolerant" }, "spec.tolerations", [dedicated]],
    [
      "keeps its own tolerations before the class's",
      { runtimeClassName: "tolerant", tolerations: [{ key: "own", operator: "Exists" }] },
      "spec.tolerations",
      [{ key: "own", operator: "Exists" }, dedicated],
    ],
    [
      "has a toleration once that both have",
      { runtimeClassName: "tolerant", tolerations: [dedicated] },
      "spec.tolerations",
      [dedicated],
    ],
    [
      "has only its own toleration where that covers the class's",
      { runtimeClassName: "tolerant", tolerations: [{ key: "kata", operator: "Exists" }] },
      "spec.tolerations",
      [{ key: "kata", operator: "Exists" }],
    ],
    [
      "has only its own toleration where that tolerates everything",
      { runtimeClassName: "tolerant", tolerations: [{ operator: "Exists" }] },
      "spec.tolerations",
      [{ operator: "Exists" }],
    ],
    ["gets all three", { runtimeClassName: "full" }, "spec.overhead", OVERHEAD],
    [
      "gets the selector of a class that has all three",
      { runtimeClassName: "full" },
      "spec.nodeSelector",
      { runtime: "kata" },
    ],
    ["gets the tolerations of such a class", { runtimeClassName: "full" }, "spec.tolerations", [dedicated]],
  ];
  test.each(rows)("%s", async (_, spec, path, has) => {
    const made = await expectTaken(tryCreate(server.api, PODS, podOf(spec)));
    expect(made.at(path)).toEqual(has);
  });
});

describe("RuntimeClass refuses a pod", () => {
  const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  const UNFOUNDED = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
  const rows: readonly (readonly [title: string, spec: object, message: string])[] = [
    ["with a class that does not exist", { runtimeClassName: "gone" }, 'pod rejected: RuntimeClass "gone" not found'],
    ["with another overhead than its class", { runtimeClassName: "heavy", overhead: { cpu: "1" } }, MISMATCH],
    ["with less overhead than its class", { runtimeClassName: "heavy", overhead: { cpu: "100m" } }, MISMATCH],
    [
      "with more resources in its overhead than its class",
      { runtimeClassName: "heavy", overhead: { ...OVERHEAD, "example.com/gpu": "1" } },
      MISMATCH,
    ],
    [
      "with an overhead where its class has an empty one",
      { runtimeClassName: "weightless", overhead: OVERHEAD },
      MISMATCH,
    ],
    ["with an overhead where its class has none", { runtimeClassName: "plain", overhead: OVERHEAD }, UNFOUNDED],
    ["with an overhead and without a class", { overhead: OVERHEAD }, UNFOUNDED],
    [
      "with a node selector against its class's",
      { runtimeClassName: "placed", nodeSelector: { disk: "hdd" } },
      "conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd",
    ],
    [
      "with an empty value against its class's",
      { runtimeClassName: "placed", nodeSelector: { runtime: "" } },
      "conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; pod.spec.nodeSelector[runtime] = ",
    ],
  ];
  test.each(rows)("%s", (_, spec, message) =>
    expectRefused(tryCreate(server.api, PODS, podOf(spec)), `pods "p" is forbidden: ${message}`),
  );
});

test("RuntimeClass ignores a pod without a class", async () => {
  const made = await expectTaken(tryCreate(server.api, PODS, podOf()));
  expect([made.at("spec.overhead"), made.at("spec.nodeSelector"), made.at("spec.tolerations")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("RuntimeClass accepts updates of a pod after its class is gone", async () => {
  await expectTaken(create(server.api, CLASSES, { metadata: { name: "brief" }, handler: "runc" }));
  await expectTaken(create(server.api, PODS, podOf({ runtimeClassName: "brief" }, { name: "left" })));
  await server.api.send({ method: "DELETE", path: `${CLASSES}/brief`, headers: {} });
  await expectTaken(merge(server.api, `${PODS}/left`, { metadata: { labels: { a: "b" } } }));
});
