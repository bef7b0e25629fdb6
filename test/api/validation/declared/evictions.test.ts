import { describe, expect, test } from "vitest";
import { formatFieldError } from "../../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../../src/server/registry/strategy.js";
import { v37 } from "../../../helpers/server-traits.js";

const NOW = Date.parse("2026-09-01T12:00:00Z");
const context = { ...v37, now: NOW } as StrategyContext;
const minutesAgo = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

const strategyOf = (resource: string) => builtinRecord("lifecycle.k8s.io", resource)?.strategy;
const objectOf = (fields: object): KubeObject => ({ metadata: { name: "e" }, ...fields }) as KubeObject;

const UID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const target = { pod: { name: "web-0", uid: UID } };
const request = (fields: object = {}) => ({ target, requester: "example.com/drainer", intent: "Eviction", ...fields });

const createRequest = (spec: object): readonly string[] =>
  (strategyOf("evictionrequests")?.validate?.(objectOf({ spec }), context) ?? []).map(formatFieldError);

describe("K37-062: validation of the spec of an EvictionRequest", () => {
  test.each<readonly [string, object, string]>([
    ["has a target", request({ target: {} }), 'spec.target: Invalid value: "": must specify one of: `pod`'],
    [
      "names the pod",
      request({ target: { pod: { name: "Web", uid: UID } } }),
      'spec.target.pod.name: Invalid value: "Web": a lowercase RFC 1123 subdomain',
    ],
    [
      "has the pod's uid",
      request({ target: { pod: { name: "web-0", uid: UID.toUpperCase() } } }),
      `spec.target.pod.uid: Invalid value: "${UID.toUpperCase()}": must be a lowercase UUID in 8-4-4-4-12 format`,
    ],
    ["has a requester", request({ requester: "" }), "spec.requester: Required value"],
    [
      "whose name has a domain",
      request({ requester: "drainer" }),
      "spec.requester: Invalid value: \"drainer\": must include a prefix (e.g. 'example.com/key')",
    ],
    [
      "which is none of Kubernetes",
      request({ requester: "dev.Kubernetes.io/x" }),
      "domain names *.k8s.io, *.kubernetes.io are reserved",
    ],
    [
      "and an intent",
      request({ intent: "Perhaps" }),
      'spec.intent: Unsupported value: "Perhaps": supported values: "Eviction", "Withdrawn"',
    ],
  ])("returns kube-apiserver's errors for one that %s", (_title, spec, expected) => {
    expect(createRequest(spec).join("\n")).toContain(expected);
  });

  test("lets the requester withdraw it, but change neither requester nor pod", () => {
    expect(createRequest(request())).toEqual([]);
    const update = (spec: object): readonly string[] =>
      (
        strategyOf("evictionrequests")?.validateUpdate?.(objectOf({ spec }), objectOf({ spec: request() }), context) ??
        []
      ).map(formatFieldError);
    expect(update(request({ intent: "Withdrawn" }))).toEqual([]);
    expect(update(request({ requester: "example.com/other", target: { pod: { name: "web-1", uid: UID } } }))).toEqual([
      "spec.target: Invalid value: null: field is immutable",
      "spec.requester: Invalid value: null: field is immutable",
    ]);
  });

  test("lets the observed generation only be set forward", () => {
    const update = (status: object, old: object): readonly string[] =>
      (
        strategyOf("evictionrequests")?.validateStatusUpdate?.(
          objectOf({ spec: request(), status }),
          objectOf({ spec: request(), status: old }),
          context,
        ) ?? []
      ).map(formatFieldError);
    expect(update({ observedGeneration: 0 }, {})).toEqual([
      "status.observedGeneration: Invalid value: 0: must be greater than or equal to 1",
    ]);
    expect(update({ observedGeneration: 1 }, { observedGeneration: 2 })).toEqual([
      "status.observedGeneration: Invalid value: 1: may not be decreased from 2",
    ]);
    expect(update({}, { observedGeneration: 2 })).toEqual([
      "status.observedGeneration: Invalid value: null: field cannot be cleared once set",
    ]);
  });
});

const A = "example.com/a";
const B = "example.com/b";

/** A status with two responders in these states, and what they tell of themselves. */
const status = (states: readonly [string, string], first: object = {}, second: object = {}, others: object = {}) => ({
  targetResponders: [
    { name: A, priority: 9000, state: states[0] },
    { name: B, priority: 8000, state: states[1] },
  ],
  responders: [
    { name: A, ...first },
    { name: B, ...second },
  ],
  ...others,
});

const condition = (type: string, value = "True") => ({
  type,
  status: value,
  reason: "Succeeded",
  message: "",
  lastTransitionTime: minutesAgo(1),
});

function change(now: object, old: object): readonly string[] {
  const spec = { target };
  const [object, before] = [objectOf({ spec, status: now }), objectOf({ spec, status: old })];
  return (strategyOf("evictions")?.validateStatusUpdate?.(object, before, context) ?? []).map(formatFieldError);
}

describe("K37-062: validation of the states of an EvictionRequest's responders", () => {
  const begun = { startTime: minutesAgo(0) };
  const long = { startTime: minutesAgo(30) };
  const done = { ...long, completionTime: minutesAgo(0) };

  test.each<readonly [string, object, object]>([
    ["the first begins", status(["Active", "Inactive"], begun), {}],
    [
      "it reports progress",
      status(["Active", "Inactive"], { ...long, heartbeatTime: minutesAgo(0), message: "half" }),
      status(["Active", "Inactive"], long),
    ],
    ["it completes", status(["Active", "Inactive"], done), status(["Active", "Inactive"], long)],
    ["the next one begins", status(["Completed", "Active"], done, begun), status(["Active", "Inactive"], done)],
    [
      "a silent one is interrupted",
      status(["Interrupted", "Active"], long, begun),
      status(["Active", "Inactive"], long),
    ],
    [
      "the pod is gone",
      status(["Canceled", "Inactive"], long, {}, { conditions: [condition("TargetEvicted")] }),
      status(["Active", "Inactive"], long),
    ],
  ])("accepts: %s", (_title, now, old) => {
    expect(change(now, old)).toEqual([]);
  });

  test.each<readonly [string, object, object, string]>([
    [
      "none is passed over",
      status(["Inactive", "Active"], {}, begun),
      {},
      'status.targetResponders[0].state: Invalid value: "Inactive": must be one of: Active, because this responder is next in line',
    ],
    [
      "the active one must end before the next",
      status(["Active", "Active"], long, begun),
      status(["Active", "Inactive"], long),
      'status.targetResponders[1].state: Invalid value: "Active": must be one of: Inactive, because the previously active has not finished processing',
    ],
    [
      "it is not interrupted while it reports",
      status(["Interrupted", "Active"], { ...long, heartbeatTime: minutesAgo(5) }, begun),
      status(["Active", "Inactive"], { ...long, heartbeatTime: minutesAgo(5) }),
      "status.targetResponders[0].state: Forbidden: must stay Active because the responder is in progress",
    ],
    [
      "an ended one stays as it is",
      status(["Canceled", "Active"], done, begun),
      status(["Completed", "Active"], done, begun),
      "because final state is immutable",
    ],
    [
      "the list keeps its length",
      { targetResponders: [], responders: [] },
      status(["Active", "Inactive"], long),
      "status.targetResponders: Invalid value: []: must preserve the same length and the same keys in the same order",
    ],
    [
      "both lists name the same",
      { ...status(["Active", "Inactive"], begun), responders: [{ name: A, ...begun }] },
      {},
      `status.targetResponders[1]: Invalid value: {"name":"${B}","priority":8000,"state":"Inactive"}: "${B}" has to be tracked in status.responders first`,
    ],
    [
      "an active one has a start",
      status(["Active", "Inactive"]),
      {},
      "status.responders[0].startTime: Required value: is required for an active responder",
    ],
    [
      "which is now",
      status(["Active", "Inactive"], { startTime: minutesAgo(1) }),
      {},
      "must be set to the present time",
    ],
    [
      "and stays",
      status(["Active", "Inactive"], begun),
      status(["Active", "Inactive"], long),
      "status.responders[0].startTime: Invalid value: null: field cannot be modified once set",
    ],
    [
      "only the active one writes its own",
      status(["Active", "Inactive"], long, { message: "me too" }),
      status(["Active", "Inactive"], long),
      "status.responders[1]: Invalid value",
    ],
    [
      "no responder takes ten years",
      status(["Active", "Inactive"], { ...long, expectedCompletionTime: "2046-01-01T00:00:00Z" }),
      status(["Active", "Inactive"], long),
      'status.responders[0].expectedCompletionTime: Invalid value: "2046-01-01T00:00:00Z": must complete within 10 years',
    ],
    [
      "what has happened has happened",
      { conditions: [condition("Failed", "False")] },
      { conditions: [condition("Failed")] },
      "Failed condition status cannot be reverted",
    ],
    [
      "an eviction has at most 100 conditions",
      { conditions: Array.from({ length: 101 }, (_, at) => condition(`Type${at}`)) },
      {},
      "status.conditions: Too many: 101: must have at most 100 items",
    ],
  ])("refuses: %s", (_title, now, old, expected) => {
    expect(change(now, old).join("\n")).toContain(expected);
  });
});
