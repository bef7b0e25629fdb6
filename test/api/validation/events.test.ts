import { describe, expect, it } from "vitest";
import { type Changes, createErrors, updateErrors } from "./good-objects.js";

const NEW = "events.k8s.io/v1";
const CORE = "v1";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const KEY =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** An event as events.k8s.io/v1 wants it, in the shape it is kept in. */
const RIGHT: Changes = {
  "metadata.name": "e",
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingComponent: "example.com/c",
  reportingInstance: "i",
  action: "Act",
  reason: "Because",
  type: "Normal",
};

describe("validation of a new event of events.k8s.io/v1", () => {
  const rows: readonly (readonly [what: string, changes: Changes, errors: readonly string[]])[] = [
    ["a good one", {}, []],
    ["no time", { eventTime: undefined }, ["eventTime: Required value"]],
    ["no type", { type: undefined }, ['type: Invalid value: "": has invalid value: ']],
    ["an odd type", { type: "Odd" }, ['type: Invalid value: "": has invalid value: Odd']],
    [
      "a first time",
      { firstTimestamp: "2026-01-01T00:00:00Z" },
      ['firstTimestamp: Invalid value: "": needs to be unset'],
    ],
    ["a last time", { lastTimestamp: "2026-01-01T00:00:00Z" }, ['lastTimestamp: Invalid value: "": needs to be unset']],
    ["a count", { count: 1 }, ['count: Invalid value: "": needs to be unset']],
    ["a count of none", { count: 0 }, []],
    ["a source's component", { "source.component": "c" }, ['source: Invalid value: "": needs to be unset']],
    ["a source's host", { "source.host": "h" }, ['source: Invalid value: "": needs to be unset']],
    [
      "a series of one",
      { series: { count: 1, lastObservedTime: "2026-01-01T00:00:00.000000Z" } },
      ['series.count: Invalid value: "": should be at least 2'],
    ],
    ["a series without its time", { series: { count: 2 } }, ["series.lastObservedTime: Required value"]],
    ["a series", { series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" } }, []],
    ["a name in capitals", { "metadata.name": "E" }, [`metadata.name: Invalid value: "E": ${SUBDOMAIN}`]],
    [
      "no controller",
      { reportingComponent: undefined },
      [
        "reportingController: Required value",
        'reportingController: Invalid value: "": name part must be non-empty',
        `reportingController: Invalid value: "": ${KEY}`,
      ],
    ],
    ["a controller with a space", { reportingComponent: "a b" }, [`reportingController: Invalid value: "a b": ${KEY}`]],
    ["no instance", { reportingInstance: undefined }, ["reportingInstance: Required value"]],
    [
      "a long instance",
      { reportingInstance: "x".repeat(129) },
      ['reportingInstance: Invalid value: "": can have at most 128 characters'],
    ],
    ["an instance that just fits", { reportingInstance: "x".repeat(128) }, []],
    ["no action", { action: undefined }, ["action: Required value"]],
    ["a long action", { action: "x".repeat(129) }, ['action: Invalid value: "": can have at most 128 characters']],
    ["no reason", { reason: undefined }, ["reason: Required value"]],
    ["a long reason", { reason: "x".repeat(129) }, ['reason: Invalid value: "": can have at most 128 characters']],
    ["a long note", { message: "x".repeat(1025) }, ['message: Invalid value: "": can have at most 1024 characters']],
    ["a note that just fits", { message: "x".repeat(1024) }, []],
  ];
  it.each(rows)("returns kube-apiserver's errors for: %s", (_, changes, errors) => {
    expect(createErrors("events", { ...RIGHT, ...changes }, NEW)).toEqual(errors);
  });
});

describe("validation of a new event of core/v1", () => {
  const rows: readonly (readonly [what: string, changes: Changes, errors: readonly string[]])[] = [
    ["what events.k8s.io/v1 would refuse", { count: 3, type: "Odd", firstTimestamp: "2026-01-01T00:00:00Z" }, []],
    ["a name in capitals", { "metadata.name": "E" }, []],
    ["a series of one", { series: { count: 1 } }, []],
    [
      "one that is about another namespace",
      { "involvedObject.namespace": "m" },
      ['involvedObject.namespace: Invalid value: "m": does not match event.namespace'],
    ],
    [
      "one in a namespace about what is in none",
      { "involvedObject.namespace": undefined },
      ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
    ],
    [
      "one in default about what is in none",
      { "metadata.namespace": "default", "involvedObject.namespace": undefined },
      [],
    ],
    [
      "one with a time and nobody who reports",
      { eventTime: "2026-01-01T00:00:00.000000Z", reportingComponent: "c", reason: "r", action: "a" },
      ["reportingInstance: Required value"],
    ],
  ];
  it.each(rows)("returns kube-apiserver's errors for: %s", (_, changes, errors) => {
    expect(createErrors("events", changes, CORE)).toEqual(errors);
  });
});

describe("validation of an updated event of events.k8s.io/v1", () => {
  const FIXED = "field is immutable";
  const rows: readonly (readonly [what: string, after: Changes, errors: readonly string[]])[] = [
    ["its series", { series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" } }, []],
    [
      "a wrong series",
      { series: { count: 1 } },
      ['series.count: Invalid value: "": should be at least 2', "series.lastObservedTime: Required value"],
    ],
    [
      "what it is about",
      { "involvedObject.name": "o" },
      [
        `involvedObject: Invalid value: {"Kind":"","Namespace":"n","Name":"o","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: ${FIXED}`,
      ],
    ],
    [
      "its reason",
      { reason: "Other" },
      [`reason: Invalid value: "Other": ${FIXED}`, `reason: Invalid value: "Other": ${FIXED}`],
    ],
    ["its note", { message: "m" }, [`message: Invalid value: "m": ${FIXED}`]],
    ["its source", { "source.host": "h" }, [`source: Invalid value: {"Component":"","Host":"h"}: ${FIXED}`]],
    [
      "its first time",
      { firstTimestamp: "2026-01-01T00:00:00Z" },
      [`firstTimestamp: Invalid value: "2026-01-01T00:00:00Z": ${FIXED}`],
    ],
    ["its count", { count: 2 }, [`count: Invalid value: 2: ${FIXED}`]],
    ["its type", { type: "Warning" }, [`type: Invalid value: "Warning": ${FIXED}`]],
    ["no time any more", { eventTime: undefined }, [`eventTime: Invalid value: null: ${FIXED}`]],
    ["its action", { action: "Other" }, [`action: Invalid value: "Other": ${FIXED}`]],
    [
      "what it is related to",
      { "related.kind": "K" },
      [
        `related: Invalid value: {"Kind":"K","Namespace":"","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: ${FIXED}`,
      ],
    ],
    ["who reports", { reportingComponent: "c" }, [`reportingController: Invalid value: "c": ${FIXED}`]],
    ["whose instance reports", { reportingInstance: "j" }, [`reportingInstance: Invalid value: "j": ${FIXED}`]],
  ];
  it.each(rows)("returns kube-apiserver's errors for another value of: %s", (_, after, errors) => {
    expect(updateErrors("events", RIGHT, { ...RIGHT, ...after }, NEW)).toEqual(errors);
  });

  it("does not apply to core/v1, whose events may change freely", () => {
    expect(updateErrors("events", RIGHT, { ...RIGHT, message: "m", count: 2 }, CORE)).toEqual([]);
  });
});
