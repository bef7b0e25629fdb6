import { expect, test } from "vitest";
import { byLogging } from "../../src/kinds/pod-order.js";
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

test.each(PAIRS)("comes first because it %s", (_why, first, second) => {
  expect(byLogging(first, second)).toBe(true);
  expect(byLogging(second, first)).toBe(false);
});

test("pods that are alike are in no order", () => {
  expect(byLogging(pod({}), pod({}))).toBe(false);
});
