import { expect, test } from "vitest";
import type { Standard } from "../../../../src/api/pod-security/policy.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { existingPodWarnings, type PodLister } from "../../../../src/server/admission/pod-security/namespace-labels.js";

const BASELINE: Standard = { level: "baseline", version: "latest" };
const VIOLATE = 'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"';

const pod = (name: string, spec: object = { hostPID: true }, controller?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    ...(controller !== undefined && {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: controller, controller: true }],
    }),
  },
  spec: { containers: [{ name: "c" }], ...spec },
});

/** Time passes by `step` milliseconds with each look at the clock. */
function over(pods: readonly KubeObject[], step = 0): PodLister {
  let time = 0;
  return {
    objects: { cached: { list: async () => pods } },
    clock: { now: () => (time += step) },
    release: { minor: 37 },
  };
}

const request = (timeLeft?: number, signal = new AbortController().signal) => ({ timeLeft, signal });
const look = (lister: PodLister, given = request(), classes: readonly string[] = []) =>
  existingPodWarnings("n", BASELINE, given, lister, new Set(classes));

const checked = (among: string): string =>
  `new PodSecurity enforce level only checked against the first ${among} existing pods`;

test("Pod Security checks up to 3000 existing pods of a namespace, one of each controller before the others", async () => {
  const replicas = Array.from({ length: 3001 }, (_, index) => pod(`p${index}`, {}, "one"));
  const all = [...replicas, pod("z", { hostPID: true }, "two"), pod("alone")];
  expect(await look(over(all))).toEqual([checked("3000 of 3003"), VIOLATE, "alone (and 1 other pod): host namespaces"]);
});

const eight = ["h", "g", "f", "e", "d", "c", "b", "a"].map((name) => pod(name));

test("Pod Security checks existing pods for at most a second", async () => {
  expect(await look(over(eight, 300))).toEqual([checked("4 of 8"), VIOLATE, "e (and 3 other pods): host namespaces"]);
  expect(await look(over(eight, 100))).toEqual([VIOLATE, "a (and 7 other pods): host namespaces"]);
});

test("Pod Security checks existing pods for at most half of the request's remaining time", async () => {
  expect(await look(over(eight, 100), request(400))).toEqual([
    checked("2 of 8"),
    VIOLATE,
    "g (and 1 other pod): host namespaces",
  ]);
});

test("Pod Security ends the check of existing pods when the client has disconnected", async () => {
  expect(await look(over(eight), request(undefined, AbortSignal.abort()))).toEqual([
    checked("1 of 8"),
    VIOLATE,
    "h: host namespaces",
  ]);
});

test("Pod Security leaves out existing pods of exempt runtime classes", async () => {
  const sandboxed = pod("a", { hostPID: true, runtimeClassName: "sandbox" });
  expect(await look(over([sandboxed, pod("b")]), request(), ["sandbox"])).toEqual([VIOLATE, "b: host namespaces"]);
  expect(await look(over([sandboxed]), request(), ["sandbox"])).toEqual([]);
});

test("Pod Security warns when it cannot list existing pods", async () => {
  const lister = { ...over([]), objects: { cached: { list: () => Promise.reject(new Error("broken")) } } };
  expect(await look(lister)).toEqual(["failed to list pods while checking new PodSecurity enforce level"]);
});
