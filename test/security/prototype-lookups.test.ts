import { describe, expect, test } from "vitest";
import type { Node, Pod, Service } from "../../src/api/types/core/v1.js";
import { fieldNamesAt } from "../../src/client/openapi/openapi-fields.js";
import { changeAnnotations } from "../../src/commands/annotate/annotate.js";
import { changeLabels } from "../../src/commands/label/label.js";
import { noScheduleChange } from "../../src/controllers/node-lifecycle/node-writes.js";
import { inDeletionOrder } from "../../src/controllers/owned-pods/deletion-order.js";
import { selects } from "../../src/controllers/service-endpoints/service-pods.js";
import { byAttaching } from "../../src/polymorphic-helpers/pod-order.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { goPattern } from "../../src/machinery/text/go/go-pattern.js";
import { parseQuantity } from "../../src/machinery/text/quantity/quantity.js";
import { checkedFormat } from "../../src/machinery/structural/formats.js";
import { Environment, podField } from "../../src/node/agent/container-environment.js";
import { deviceMatcher } from "../../src/scheduler/plugins/dynamic-resources/device-selector.js";
import { neededFor } from "../../src/server/authz/node/node-graph.js";
import { fieldAt, setFieldAt } from "../../src/server/extensions/custom-scale.js";
import { parseRequestInfo } from "../../src/server/request/request-info.js";

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"] as const;
const nothing = new URLSearchParams();

/** An object with one field of its own, whatever the name. */
const holding = <T>(name: string, value: T): Record<string, T> => Object.fromEntries([[name, value]]);

describe.each(NAMES)("the name %s of JavaScript's Object.prototype is not taken for a", (name) => {
  test("verb", () => {
    expect(parseRequestInfo(name, "/api/v1/namespaces/a/pods", nothing).verb).toBe("");
  });

  test("resource for which a node needs more rights", () => {
    expect(neededFor(name)).toEqual(neededFor("pods"));
  });

  test("suffix of a quantity, class of a pattern or type of a format", () => {
    expect(() => parseQuantity(`1${name}`)).toThrow();
    expect(goPattern(`[[:${name}:]]`).source).not.toContain("function");
    expect(checkedFormat("int32", name)).toBe("");
  });

  test("label of an object that has no such label", () => {
    const service = { spec: { selector: holding(name, "a") } } as Service;
    expect(selects(service, { metadata: { labels: {} } } as Pod)).toBe(false);
    expect(selects(service, { metadata: { labels: holding(name, "a") } } as Pod)).toBe(true);
    const changes = { set: new Map([[name, "1"]]), remove: [] };
    expect(changeLabels({ metadata: { labels: {} } }, changes, false).operation).toBe("labeled");
    const annotated = changeAnnotations({ metadata: { annotations: {} } }, changes, false);
    expect(Object.entries(annotated.metadata?.annotations ?? {})).toEqual([[name, "1"]]);
  });

  test("condition of a node, nor a phase of a pod", () => {
    const conditions = ["name", "length", "True"].map((status) => ({ type: name, status }));
    expect(noScheduleChange({ status: { conditions } } as Node)).toEqual({ add: [], remove: [] });
    const phased = (phase: string, uid: string) =>
      ({ metadata: { uid, name: uid }, spec: {}, status: { phase } }) as Pod;
    const pods = [phased(name, "a"), phased("Running", "b"), phased("Pending", "c")];
    const order = inDeletionOrder(pods, { crowd: () => 0, now: 0 }).map(({ metadata }) => metadata?.uid);
    const unknown = [phased("Other", "a"), ...pods.slice(1)];
    expect(order).toEqual(inDeletionOrder(unknown, { crowd: () => 0, now: 0 }).map(({ metadata }) => metadata?.uid));
    const [odd, pending] = [name, "Pending"].map(
      (phase): KubeObject => ({ metadata: { uid: phase }, status: { phase } }),
    );
    expect(byAttaching(odd ?? {}, pending ?? {})).toBe(false);
  });

  test("variable of a container, nor a field of its pod", () => {
    expect(new Environment().expand(`$(${name})`)).toBe(`$(${name})`);
    const of = { pod: { metadata: { labels: {}, annotations: {} } }, podIp: "", hostIp: "" };
    for (const path of [name, `metadata.labels['${name}']`, `metadata.annotations['${name}']`]) {
      expect(podField(path, of)).toBe("");
    }
  });

  test("property of a published schema", () => {
    const schema = { type: "object", properties: { a: { type: "object", properties: { b: {} } } } };
    expect(fieldNamesAt(schema, {}, [name])).toEqual([]);
    expect(fieldNamesAt({ $ref: `#/components/schemas/${name}` }, {}, [])).toEqual([]);
  });

  test("path out of a custom resource: a value below it belongs to the object", () => {
    const object: Record<string, unknown> = {};
    setFieldAt(object, `.spec.${name}.replicas`, 3);
    expect(fieldAt(object, `.spec.${name}.replicas`)).toBe(3);
    expect(fieldAt({}, ".replicas")).toBeUndefined();
    setFieldAt(object, `.spec.${name}`, 4);
    expect(fieldAt(object, `.spec.${name}`)).toBe(4);
  });

  test("domain of a device's attributes, and does not change this process", () => {
    const attributes = holding(`${name}/keys`, { string: "planted" });
    const device = { name: "d", attributes, capacity: {} };
    const cel = { expression: 'device.attributes["gpu.example.com"].size() == 0' };
    const before = Object.keys;
    expect(deviceMatcher()([{ cel }], "gpu.example.com", device)).toBe(true);
    expect(Object.keys).toBe(before);
    expect(({} as { keys?: unknown }).keys).toBeUndefined();
  });
});
