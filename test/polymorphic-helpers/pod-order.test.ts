import { expect, test } from "vitest";
import { byAttaching, byLogging } from "../../src/polymorphic-helpers/pod-order.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";

const ready = (since?: string) => ({ type: "Ready", status: "True", ...(since && { lastTransitionTime: since }) });
const pod = (status: object, more: object = {}, creationTimestamp = "2024-01-01T00:00:00Z"): KubeObject => ({
  metadata: { creationTimestamp },
  spec: { nodeName: "n", ...more },
  status: { phase: "Running", ...status },
});
const restarted = (restartCount: number) => ({ containerStatuses: [{ name: "a", restartCount }] });
const sidecar = (restartCount: number): [object, object] => [
  { initContainerStatuses: [{ name: "s", restartCount }] },
  { initContainers: [{ name: "s", restartPolicy: "Always" }] },
];

/** After kubectl's podutils.ByLogging: the first of each pair is the one whose log is read. */
const PAIRS: readonly (readonly [why: string, first: KubeObject, second: KubeObject])[] = [
  ["is on a node", pod({ phase: "Pending" }), pod({}, { nodeName: "" })],
  ["runs", pod({}), pod({ phase: "Unknown" })],
  ["may run", pod({ phase: "Unknown" }), pod({ phase: "Pending" })],
  ["is done, which counts as running", pod({ phase: "Failed" }), pod({ phase: "Pending" })],
  ["is ready", pod({ conditions: [ready()] }), pod({ conditions: [{ type: "Ready", status: "False" }] })],
  [
    "has been ready for longer",
    pod({ conditions: [ready("2024-01-01T00:00:00Z")] }),
    pod({ conditions: [ready("2024-01-02T00:00:00Z")] }),
  ],
  [
    "is known since when it is ready",
    pod({ conditions: [ready("2024-01-01T00:00:00Z")] }),
    pod({ conditions: [ready()] }),
  ],
  ["failed more often", pod(restarted(3)), pod(restarted(1))],
  ["has a sidecar that failed more often", pod(...sidecar(2)), pod(...sidecar(1))],
  ["is older", pod({}, {}, "2024-01-01T00:00:00Z"), pod({}, {}, "2024-01-02T00:00:00Z")],
];

test.each(PAIRS)("logs of a workload choose first the pod that %s", (_why, first, second) => {
  expect(byLogging(first, second)).toBe(true);
  expect(byLogging(second, first)).toBe(false);
});

test("pods that are alike have no order", () => {
  expect(byLogging(pod({}), pod({}))).toBe(false);
});

const deleted = (deletionTimestamp: string): KubeObject => ({
  ...pod({}),
  metadata: { ...pod({}).metadata, deletionTimestamp },
});

/** The other way round than kubectl's podutils.ActivePods: the first of each pair is the one that is entered. */
const ENTERED: readonly (readonly [why: string, first: KubeObject, second: KubeObject])[] = [
  ["is on a node", pod({ phase: "Pending" }), pod({}, { nodeName: "" })],
  ["runs", pod({}), pod({ phase: "Unknown" })],
  ["may run", pod({ phase: "Unknown" }), pod({ phase: "Pending" })],
  ["is not done, which counts as pending", pod({}), pod({ phase: "Failed" })],
  ["is ready", pod({ conditions: [ready()] }), pod({ conditions: [{ type: "Ready", status: "False" }] })],
  ["stays", pod({}), deleted("2024-01-01T00:00:00Z")],
  ["goes later", deleted("2024-01-02T00:00:00Z"), deleted("2024-01-01T00:00:00Z")],
  [
    "has been ready for longer",
    pod({ conditions: [ready("2024-01-01T00:00:00Z")] }),
    pod({ conditions: [ready("2024-01-02T00:00:00Z")] }),
  ],
  ["failed less often", pod(restarted(1)), pod(restarted(3))],
  ["has a sidecar that failed less often", pod(...sidecar(1)), pod(...sidecar(2))],
  ["is older", pod({}, {}, "2024-01-01T00:00:00Z"), pod({}, {}, "2024-01-02T00:00:00Z")],
];

test.each(ENTERED)("exec into a workload chooses the pod that %s", (_why, first, second) => {
  expect(byAttaching(first, second)).toBe(true);
  expect(byAttaching(second, first)).toBe(false);
});
