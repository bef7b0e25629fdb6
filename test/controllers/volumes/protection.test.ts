import { expect, onTestFinished, test } from "vitest";
import {
  claimProtection,
  protection,
  volumeProtection,
} from "../../../src/controllers/volume-protection/volume-protection.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { manualControllers } from "../../helpers/manual-controllers.js";

test.each([
  ["new", {}, "add"],
  ["held by another", { finalizers: ["example.com/other"] }, "add"],
  ["protected", { finalizers: ["f"] }, "none"],
  ["deleted", { deletionTimestamp: "2026-01-01T00:00:00Z" }, "none"],
  ["deleted and protected", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["o", "f"] }, "remove"],
  ["deleted and held by another", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["o"] }, "none"],
])("the finalizer of an object that is %s: %#", (_, metadata, due) => {
  expect(protection("f", { metadata })).toBe(due);
});

test("claims and volumes are protected, and go when nothing uses them", async () => {
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
