import { expect, test } from "vitest";
import { LEADER_ANNOTATION, readElectionRecord } from "../../../src/client/leaderelection/index.js";

const record = {
  holderIdentity: "host-1_6f2b",
  leaseDurationSeconds: 15,
  acquireTime: "2026-01-01T00:00:00Z",
  renewTime: "2026-01-01T00:00:30Z",
  leaderTransitions: 3,
};

test("the election record is read from a Lease's spec", () => {
  const { leaderTransitions, ...spec } = record;
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    spec: { ...spec, leaseTransitions: leaderTransitions },
  };
  expect(readElectionRecord(lease)).toEqual(record);
});

test.each(["Endpoints", "ConfigMap"])("the election record is read from an annotation of a %s", (kind) => {
  const annotations = { [LEADER_ANNOTATION]: JSON.stringify({ ...record, strategy: "", preferredHolder: "" }) };
  expect(readElectionRecord({ apiVersion: "v1", kind, metadata: { annotations } })).toEqual(record);
});

test("an object without the annotation has no election record", () => {
  expect(readElectionRecord({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })).toBeUndefined();
});

test("an annotation that is not an election record throws an error with the object and the text", () => {
  const metadata = { namespace: "kube-system", name: "scheduler", annotations: { [LEADER_ANNOTATION]: "{oops" } };
  expect(() => readElectionRecord({ apiVersion: "v1", kind: "Endpoints", metadata })).toThrow(
    "annotation control-plane.alpha.kubernetes.io/leader of Endpoints kube-system/scheduler holds no leader election record: {oops",
  );
});
