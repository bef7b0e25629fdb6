import { expect, onTestFinished, test } from "vitest";
import {
  claimProtection,
  protection,
  useConditions,
  volumeProtection,
} from "../../../src/controllers/volume-protection/volume-protection.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { manualControllers, manualControllersOf } from "../../helpers/manual-controllers.js";

test.each([
  ["new", {}, "add"],
  ["held by another", { finalizers: ["example.com/other"] }, "add"],
  ["protected", { finalizers: ["f"] }, "none"],
  ["deleted", { deletionTimestamp: "2026-01-01T00:00:00Z" }, "none"],
  ["deleted and protected", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["o", "f"] }, "remove"],
  ["deleted and held by another", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["o"] }, "none"],
])("what happens to the protection finalizer of an object that is %s: %#", (_, metadata, due) => {
  expect(protection("f", { metadata })).toBe(due);
});

test("claims and volumes get a protection finalizer, and are deleted when nothing uses them", async () => {
  const run = await manualControllers(claimProtection, volumeProtection);
  onTestFinished(() => run.close());
  const [CLAIMS, PODS] = ["/api/v1/namespaces/default/persistentvolumeclaims", "/api/v1/namespaces/default/pods"];
  const VOLUMES = "/api/v1/persistentvolumes";
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const capacity = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/tmp/v" } };
  await call(run.api, "POST", CLAIMS, { metadata: { name: "data", finalizers: ["example.com/first"] }, spec });
  await call(run.api, "POST", VOLUMES, { metadata: { name: "volume" }, spec: capacity });
  const finalizers = async (path: string) => (await call(run.api, "GET", path)).at("metadata.finalizers");
  await eventually(async () => {
    expect(await finalizers(`${CLAIMS}/data`)).toEqual(["example.com/first", "kubernetes.io/pvc-protection"]);
    expect(await finalizers(`${VOLUMES}/volume`)).toEqual(["kubernetes.io/pv-protection"]);
  });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  const containers = [{ name: "c", image: "i" }];
  await call(run.api, "POST", PODS, { metadata: { name: "user" }, spec: { containers, volumes } });
  await call(run.api, "DELETE", `${CLAIMS}/data`);
  await call(run.api, "DELETE", `${VOLUMES}/volume`);
  await eventually(async () => expect((await call(run.api, "GET", `${VOLUMES}/volume`)).status).toBe(404));
  expect(await finalizers(`${CLAIMS}/data`)).toContain("kubernetes.io/pvc-protection");
  await call(run.api, "DELETE", `${PODS}/user?gracePeriodSeconds=0`);
  await eventually(async () => expect(await finalizers(`${CLAIMS}/data`)).toEqual(["example.com/first"]));
  expect(run.problems).toEqual([]);
});

const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const PODS = "/api/v1/namespaces/default/pods";

test.each([
  ["1.36", []],
  [
    "1.37",
    [
      ["True", "NoPodsUsingPVC"],
      ["False", "PodUsingPVC"],
      ["True", "NoPodsUsingPVC"],
    ],
  ],
])(
  "K37-036, K37-145: conditions that %s sets on a bound claim while pods start, wait and end",
  async (version, expected) => {
    const run = await manualControllersOf(version, claimProtection);
    onTestFinished(() => run.close());
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: "v" };
    await call(run.api, "POST", CLAIMS, { metadata: { name: "data" }, spec });
    const seen: unknown[] = [];
    const look = async (): Promise<void> => {
      await run.pass(1000);
      const conditions = (await call(run.api, "GET", `${CLAIMS}/data`)).at("status.conditions") as
        | { status: string; reason: string }[]
        | undefined;
      for (const { status, reason } of conditions ?? []) seen.push([status, reason]);
    };
    await look();
    expect(seen, "an unbound claim").toEqual([]);
    const bound = { status: { phase: "Bound" } };
    await call(run.api, "PATCH", `${CLAIMS}/data/status`, bound, { type: "application/merge-patch+json" });
    await look();
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
    await call(run.api, "POST", PODS, {
      metadata: { name: "user" },
      spec: { containers: [{ name: "c", image: "i" }], volumes },
    });
    await look();
    const over = { status: { phase: "Succeeded" } };
    await call(run.api, "PATCH", `${PODS}/user/status`, over, { type: "application/merge-patch+json" });
    await look();
    expect(seen).toEqual(expected);
    expect(run.problems).toEqual([]);
  },
);

test("K37-036: the condition Unused of a claim keeps its time until the use of the claim changes", () => {
  const at = (time: string): number => Date.parse(time);
  const phase = "Bound" as const;
  const claim = { status: { phase, conditions: [{ type: "Resizing", status: "True" as const }] } };
  const unused = useConditions(claim, false, at("2026-01-01T00:00:00Z"));
  expect(unused).toEqual([
    { type: "Resizing", status: "True" },
    {
      type: "Unused",
      status: "True",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      reason: "NoPodsUsingPVC",
      message: "No pods are currently referencing this PVC",
    },
  ]);
  const later = { status: { phase, conditions: unused ?? [] } };
  expect(useConditions(later, false, at("2026-01-02T00:00:00Z"))).toBeUndefined();
  expect(useConditions(later, true, at("2026-01-02T00:00:00Z"))?.[1]).toMatchObject({
    status: "False",
    lastTransitionTime: "2026-01-02T00:00:00Z",
    message: "A pod is currently referencing this PVC",
  });
  expect(
    useConditions({ ...claim, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, false, 0),
  ).toBeUndefined();
});
