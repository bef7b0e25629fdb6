import { expect, test } from "vitest";
import { statusViewerFor } from "../../../src/polymorphic-helpers/rollout/status.js";

const viewer = (kind: string) => statusViewerFor({ group: "apps", kind });

test.each([
  [
    "a Deployment's replicas",
    "Deployment",
    { replicas: null },
    { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    { step: "complete", updated: 1 },
  ],
  [
    "a StatefulSet's replicas and rollingUpdate",
    "StatefulSet",
    { replicas: null, updateStrategy: { type: "RollingUpdate", rollingUpdate: null } },
    { observedGeneration: 1, currentReplicas: 2, currentRevision: "a", updateRevision: "a" },
    { step: "complete", updated: 2, revision: "a" },
  ],
  [
    "a StatefulSet's partition",
    "StatefulSet",
    { replicas: 2, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: null } } },
    { observedGeneration: 1, readyReplicas: 2, updatedReplicas: 1 },
    { step: "complete", updated: 1 },
  ],
])("rollout status treats null in %s as a missing value", (_, kind, spec, status, expected) => {
  expect(viewer(kind)({ metadata: { generation: 1 }, spec, status }, 0n)).toEqual(expected);
});
