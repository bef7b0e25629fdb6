import { describe, expect, it } from "vitest";
import { change } from "./workload-kinds.js";

const NOT_NEGATIVE = "must be greater than or equal to 0";
const negative = (field: string) => `status.${field}: Invalid value: -1: ${NOT_NEGATIVE}`;

/**
 * The counters of a workload's status: those that are parts of `replicas`, in the order they are looked at, the others, and
 * what available pods are a part of.
 */
const WORKLOADS = [
  [
    "deploymentStatus",
    ["updatedReplicas", "readyReplicas", "availableReplicas"],
    ["observedGeneration", "unavailableReplicas", "terminatingReplicas", "collisionCount"],
    "readyReplicas",
  ],
  [
    "replicaSetStatus",
    ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ["observedGeneration", "terminatingReplicas"],
    "readyReplicas",
  ],
  [
    "replicationControllerStatus",
    ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ["observedGeneration"],
    "readyReplicas",
  ],
  [
    "statefulSetStatus",
    ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    ["observedGeneration", "collisionCount"],
    "status.readyReplicas",
  ],
] as const;

describe.each(WORKLOADS)("validation of a workload's status with replicas: %s", (kind, parts, others, ready) => {
  const more = (field: string, value: number) =>
    `status.${field}: Invalid value: ${value}: cannot be greater than status.replicas`;
  const unready = `status.availableReplicas: Invalid value: 2: cannot be greater than ${ready}`;

  it("accepts an empty status", () => {
    expect(change(kind, {}, {})).toEqual([]);
  });
  it("accepts a status in which all replicas are updated, ready and available", () => {
    const all = Object.fromEntries([...parts, ...others, "replicas"].map((field) => [field, 3]));
    expect(change(kind, {}, all)).toEqual([]);
  });
  it.each([...parts, ...others])("refuses a negative %s", (field) => {
    const more = {
      collisionCount: ["status.collisionCount: Invalid value: -1: cannot be decremented"],
      readyReplicas: [`status.availableReplicas: Invalid value: 0: cannot be greater than ${ready}`],
    }[field as string];
    expect(change(kind, {}, { [field]: -1 })).toEqual([negative(field), ...(more ?? [])]);
  });
  it("refuses negative replicas", () => {
    expect(change(kind, {}, { replicas: -1 })).toEqual([negative("replicas"), ...parts.map((field) => more(field, 0))]);
  });
  it.each(parts)("refuses more %s than replicas", (field) => {
    const errors = field === "availableReplicas" ? [more(field, 2), unready] : [more(field, 2)];
    expect(change(kind, {}, { replicas: 1, [field]: 2 })).toEqual(errors);
  });
  it("refuses more available pods than ready ones", () => {
    expect(change(kind, {}, { replicas: 2, readyReplicas: 1, availableReplicas: 2 })).toEqual([unready]);
  });
});

describe.each(["deploymentStatus", "statefulSetStatus", "daemonSetStatus"] as const)(
  "validation of the collision count in %s",
  (kind) => {
    it.each([
      [2, 3, []],
      [2, 2, []],
      [2, 1, ["status.collisionCount: Invalid value: 1: cannot be decremented"]],
      [2, undefined, ["status.collisionCount: Invalid value: 0: cannot be decremented"]],
    ] as const)("when it changes from %s to %s returns %j", (before, now, errors) => {
      expect(change(kind, { collisionCount: before }, now === undefined ? {} : { collisionCount: now })).toEqual(
        errors,
      );
    });
  },
);

describe("validation of a DaemonSet's status", () => {
  const counters = [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
  ];
  it.each(counters)("refuses a negative %s", (field) => {
    expect(change("daemonSetStatus", {}, { [field]: -1 })).toEqual([negative(field)]);
  });
  it("returns all errors at once", () => {
    const all = Object.fromEntries(counters.map((field) => [field, -1]));
    expect(change("daemonSetStatus", {}, all)).toEqual(counters.map(negative));
  });
  it("accepts an empty status, and numbers that contradict each other", () => {
    expect(change("daemonSetStatus", {}, {})).toEqual([]);
    expect(change("daemonSetStatus", {}, { numberReady: 5, desiredNumberScheduled: 1 })).toEqual([]);
  });
});
