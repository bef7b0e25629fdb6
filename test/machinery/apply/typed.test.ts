import { atOnce } from "../../../src/base/async/steps.js";
import { describe, expect, test } from "vitest";
import { compare } from "../../../src/machinery/apply/compare.js";
import { encodedView } from "../../../src/machinery/apply/encoded-view.js";
import { paths, sorted } from "../../../src/machinery/apply/field-set.js";
import { printFieldsV1 } from "../../../src/machinery/apply/fields-v1.js";
import { merge } from "../../../src/machinery/apply/merge.js";
import { pathText } from "../../../src/machinery/apply/path-element.js";
import { removeItemsSteps } from "../../../src/machinery/apply/remove.js";
import { parseFieldsV1 } from "../../../src/machinery/apply/fields-v1.js";
import { toFieldSet } from "../../../src/machinery/apply/to-field-set.js";
import { DEDUCED, describe as descriptorOf } from "../../../src/machinery/apply/type-descriptor.js";
import { validate } from "../../../src/machinery/apply/validate.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { structOf } from "../../../src/api/facts/index.js";
import { CONFIG_MAP, DEPLOYMENT, POD, SERVICE, structOfKind, typeOfKind } from "./kinds.js";

const PV = { group: "", version: "v1", kind: "PersistentVolume" };
const CRD = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };
const RESOURCE_SLICE_CLAIM = { group: "apps", version: "v1", kind: "ControllerRevision" };

const container = (fields: JsonObject): JsonObject => ({ spec: { containers: [{ name: "c", ...fields }] } });
const C = '"k:{\\"name\\":\\"c\\"}"';

describe("the set of fields that an object has", () => {
  test.each([
    [
      "leaves of a struct",
      POD,
      { spec: { nodeName: "n", hostNetwork: true } },
      '{"f:spec":{"f:hostNetwork":{},"f:nodeName":{}}}',
    ],
    ["a map's keys, not the map", CONFIG_MAP, { data: { a: "1", b: "2" } }, '{"f:data":{"f:a":{},"f:b":{}}}'],
    ["an empty map is itself", CONFIG_MAP, { data: {} }, '{"f:data":{}}'],
    ["null is itself", CONFIG_MAP, { data: null }, '{"f:data":{}}'],
    ["an empty struct is itself", DEPLOYMENT, { spec: { strategy: {} } }, '{"f:spec":{"f:strategy":{}}}'],
    ["a map key with null", CONFIG_MAP, { data: { a: null } }, '{"f:data":{"f:a":{}}}'],
    ["an atomic map is one leaf", SERVICE, { spec: { selector: { a: "1" } } }, '{"f:spec":{"f:selector":{}}}'],
    [
      "an atomic struct is one leaf",
      DEPLOYMENT,
      { spec: { selector: { matchLabels: { a: "1" } } } },
      '{"f:spec":{"f:selector":{}}}',
    ],
    [
      "a list of no type is one leaf",
      POD,
      container({ command: ["a"] }),
      `{"f:spec":{"f:containers":{${C}:{".":{},"f:command":{},"f:name":{}}}}}`,
    ],
    [
      "an empty atomic list is one leaf",
      POD,
      container({ command: [] }),
      `{"f:spec":{"f:containers":{${C}:{".":{},"f:command":{},"f:name":{}}}}}`,
    ],
    ["an empty keyed list is nothing", POD, { spec: { containers: [] } }, "{}"],
    ["a keyed list that is null is itself", POD, { spec: { containers: null } }, '{"f:spec":{"f:containers":{}}}'],
    [
      "items of a set",
      POD,
      { metadata: { finalizers: ["b", "a"] } },
      '{"f:metadata":{"f:finalizers":{"v:\\"a\\"":{},"v:\\"b\\"":{}}}}',
    ],
    [
      "an item's key with its default",
      POD,
      container({ ports: [{ containerPort: 80 }] }),
      `{"f:spec":{"f:containers":{${C}:{".":{},"f:name":{},"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{}}}}}}}`,
    ],
    [
      "an item's key as given",
      SERVICE,
      { spec: { ports: [{ port: 53, protocol: "UDP", targetPort: "dns" }] } },
      '{"f:spec":{"f:ports":{"k:{\\"port\\":53,\\"protocol\\":\\"UDP\\"}":{".":{},"f:port":{},"f:protocol":{},"f:targetPort":{}}}}}',
    ],
    [
      "an item whose key has an empty default",
      POD,
      { spec: { imagePullSecrets: [{}] } },
      '{"f:spec":{"f:imagePullSecrets":{"k:{\\"name\\":\\"\\"}":{}}}}',
    ],
    [
      "owner references by uid, each one leaf",
      POD,
      { metadata: { ownerReferences: [{ uid: "u", name: "a" }] } },
      '{"f:metadata":{"f:ownerReferences":{"k:{\\"uid\\":\\"u\\"}":{}}}}',
    ],
    [
      "quantities are leaves",
      POD,
      container({ resources: { limits: { cpu: "1", memory: 5 } } }),
      `{"f:spec":{"f:containers":{${C}:{".":{},"f:name":{},"f:resources":{"f:limits":{"f:cpu":{},"f:memory":{}}}}}}}`,
    ],
    [
      "host aliases by ip",
      POD,
      { spec: { hostAliases: [{ ip: "1.1.1.1", hostnames: ["a"] }] } },
      '{"f:spec":{"f:hostAliases":{"k:{\\"ip\\":\\"1.1.1.1\\"}":{".":{},"f:hostnames":{},"f:ip":{}}}}}',
    ],
    [
      "a field that owns an atomic type part by part",
      PV,
      { spec: { claimRef: { name: "c", namespace: "n" } } },
      '{"f:spec":{"f:claimRef":{"f:name":{},"f:namespace":{}}}}',
    ],
    ["a raw extension is one leaf", RESOURCE_SLICE_CLAIM, { data: { a: { b: 1 } } }, '{"f:data":{}}'],
    [
      "free-form JSON goes key by key",
      CRD,
      {
        spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { type: "object", default: { a: { b: 1 } } } } }] },
      },
      '{"f:spec":{"f:versions":{}}}',
    ],
    [
      "duplicate items are one leaf together",
      POD,
      container({
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "2" },
        ],
      }),
      `{"f:spec":{"f:containers":{${C}:{".":{},"f:env":{"k:{\\"name\\":\\"A\\"}":{}},"f:name":{}}}}}`,
    ],
    ["several keys of one field", POD, { spec: { tolerations: [{ key: "a" }] } }, '{"f:spec":{"f:tolerations":{}}}'],
  ] as const)("for %s", (_, kind, object, expected) => {
    expect(JSON.stringify(printFieldsV1(toFieldSet(object as unknown as JsonObject, typeOfKind(kind))))).toBe(expected);
  });

  test("without a schema has objects key by key and lists as one", () => {
    const object = { spec: { a: 1, list: [{ name: "x" }], empty: {}, nothing: null } };
    expect(JSON.stringify(printFieldsV1(toFieldSet(object, DEDUCED)))).toBe(
      '{"f:spec":{".":{},"f:a":{},"f:empty":{},"f:list":{},"f:nothing":{}}}',
    );
  });

  test("has free-form values as they are", () => {
    const props = structOf("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    if (props === undefined) throw new Error("no JSONSchemaProps");
    const object = { default: { a: { b: 1 }, l: [1] }, example: "x" };
    expect(JSON.stringify(printFieldsV1(toFieldSet(object, descriptorOf(props))))).toBe(
      '{"f:default":{"f:a":{".":{},"f:b":{}},"f:l":{}},"f:example":{}}',
    );
  });
});

/** "-a +b *c": removed, added and modified paths. */
function changes(before: JsonValue, after: JsonValue, type = typeOfKind(POD)): string {
  const { removed, modified, added } = compare(before as JsonObject, after as JsonObject, type);
  const show = (sign: string, set: typeof removed) => [...paths(sorted(set))].map((path) => sign + pathText(path));
  return [...show("-", removed), ...show("*", modified), ...show("+", added)].join(" ");
}

describe("comparing two objects by their schema finds", () => {
  test.each([
    ["nothing", { spec: { nodeName: "a" } }, { spec: { nodeName: "a" } }, ""],
    ["a leaf modified", { spec: { nodeName: "a" } }, { spec: { nodeName: "b" } }, "*.spec.nodeName"],
    ["a leaf added", { spec: {} }, { spec: { nodeName: "b" } }, "+.spec.nodeName"],
    ["a leaf removed", { spec: { nodeName: "b" } }, { spec: {} }, "-.spec.nodeName"],
    ["a struct added with what is in it", {}, { spec: { nodeName: "b" } }, "+.spec +.spec.nodeName"],
    ["a struct removed with what is in it", { spec: { nodeName: "b" } }, {}, "-.spec -.spec.nodeName"],
    ["a struct that becomes null loses what is in it", { spec: { nodeName: "b" } }, { spec: null }, "-.spec.nodeName"],
    ["an empty map is not null", { metadata: { labels: {} } }, { metadata: { labels: null } }, "*.metadata.labels"],
    ["an empty list is not null", { spec: { containers: [] } }, { spec: { containers: null } }, "*.spec.containers"],
    ["an empty map added", { metadata: {} }, { metadata: { labels: {} } }, "+.metadata.labels"],
    [
      "a map key modified",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { a: "2" } } },
      "*.metadata.labels.a",
    ],
    [
      "a map key added",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { a: "1", b: "" } } },
      "+.metadata.labels.b",
    ],
    [
      "order in a map is nothing",
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { b: "2", a: "1" } } },
      "",
    ],
    [
      "an item of a set",
      { metadata: { finalizers: ["a"] } },
      { metadata: { finalizers: ["b"] } },
      '-.metadata.finalizers[="a"] +.metadata.finalizers[="b"]',
    ],
    [
      "order in a set is nothing",
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { finalizers: ["b", "a"] } },
      "",
    ],
    [
      "order in an atomic list counts",
      { spec: { tolerations: [{ key: "a" }, { key: "b" }] } },
      { spec: { tolerations: [{ key: "b" }, { key: "a" }] } },
      "*.spec.tolerations",
    ],
    [
      "a field of an item",
      { spec: { containers: [{ name: "a", image: "1" }] } },
      { spec: { containers: [{ name: "a", image: "2" }] } },
      '*.spec.containers[name="a"].image',
    ],
    [
      "an item added",
      { spec: { containers: [{ name: "a" }] } },
      { spec: { containers: [{ name: "a" }, { name: "b" }] } },
      '+.spec.containers[name="b"] +.spec.containers[name="b"].name',
    ],
    [
      "an item removed",
      { spec: { containers: [{ name: "a" }, { name: "b" }] } },
      { spec: { containers: [{ name: "a" }] } },
      '-.spec.containers[name="b"] -.spec.containers[name="b"].name',
    ],
    [
      "an item with and without the default in its key is the same item",
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1 }] }] } },
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, protocol: "TCP" }] }] } },
      '+.spec.containers[name="a"].ports[containerPort=1,protocol="TCP"].protocol',
    ],
    [
      "another key is another item",
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, protocol: "TCP" }] }] } },
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, protocol: "UDP" }] }] } },
      '-.spec.containers[name="a"].ports[containerPort=1,protocol="TCP"] -.spec.containers[name="a"].ports[containerPort=1,protocol="TCP"].containerPort -.spec.containers[name="a"].ports[containerPort=1,protocol="TCP"].protocol +.spec.containers[name="a"].ports[containerPort=1,protocol="UDP"] +.spec.containers[name="a"].ports[containerPort=1,protocol="UDP"].containerPort +.spec.containers[name="a"].ports[containerPort=1,protocol="UDP"].protocol',
    ],
    [
      "duplicates that changed are modified together",
      {
        metadata: {
          ownerReferences: [
            { uid: "u", name: "a" },
            { uid: "u", name: "b" },
          ],
        },
      },
      {
        metadata: {
          ownerReferences: [
            { uid: "u", name: "a" },
            { uid: "u", name: "c" },
          ],
        },
      },
      '*.metadata.ownerReferences[uid="u"]',
    ],
    [
      "duplicates that stay are nothing",
      { metadata: { finalizers: ["a", "a"] } },
      { metadata: { finalizers: ["a", "a"] } },
      "",
    ],
    [
      "an item that gets a duplicate: its fields go, it is added",
      { spec: { containers: [{ name: "a", image: "1" }] } },
      {
        spec: {
          containers: [
            { name: "a", image: "1" },
            { name: "a", image: "2" },
          ],
        },
      },
      '-.spec.containers[name="a"] -.spec.containers[name="a"].image -.spec.containers[name="a"].name +.spec.containers[name="a"]',
    ],
    ["1 and 1.0 are the same", { spec: { priority: 1 } }, { spec: { priority: 1n } }, ""],
  ])("for %s", (_, before, after, expected) => {
    expect(changes(before as JsonValue, after as JsonValue)).toBe(expected);
  });

  test("a free-form value that changes its shape as modified, and its new content as added", () => {
    expect(changes({ a: 1 }, { a: { b: 1 } }, DEDUCED)).toBe("*.a +.a.b");
    expect(changes({ a: { b: 1 } }, { a: 1 }, DEDUCED)).toBe("*.a -.a.b".split(" ").reverse().join(" "));
  });
});

describe("merging an applied configuration into an object by its schema", () => {
  const finalizers = (...names: string[]) => ({ metadata: { finalizers: names } });
  test.each([
    ["a leaf wins", { spec: { nodeName: "a" } }, { spec: { nodeName: "b" } }, { spec: { nodeName: "b" } }],
    [
      "nothing is removed",
      { spec: { nodeName: "a" } },
      { spec: { hostname: "h" } },
      { spec: { nodeName: "a", hostname: "h" } },
    ],
    ["null wins over a leaf", { spec: { nodeName: "a" } }, { spec: { nodeName: null } }, { spec: { nodeName: null } }],
    [
      "null takes nothing from a map",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: null } },
      { metadata: { labels: { a: "1" } } },
    ],
    [
      "an empty map takes nothing",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: {} } },
      { metadata: { labels: { a: "1" } } },
    ],
    [
      "an empty map wins over null",
      { metadata: { labels: null } },
      { metadata: { labels: {} } },
      { metadata: { labels: {} } },
    ],
    [
      "an atomic list is replaced",
      { spec: { tolerations: [{ key: "a" }] } },
      { spec: { tolerations: [{ key: "b" }] } },
      { spec: { tolerations: [{ key: "b" }] } },
    ],
    [
      "an atomic list is emptied",
      { spec: { tolerations: [{ key: "a" }] } },
      { spec: { tolerations: [] } },
      { spec: { tolerations: [] } },
    ],
    [
      "maps are united",
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { b: "3", c: "4" } } },
      { metadata: { labels: { a: "1", b: "3", c: "4" } } },
    ],
    ["a set keeps what is there and adds behind", finalizers("a", "b"), finalizers("c"), finalizers("a", "b", "c")],
    ["a set takes the applied order", finalizers("a", "b"), finalizers("b", "a"), finalizers("b", "a")],
    [
      "what only the object has stays where it is",
      finalizers("a", "x", "b"),
      finalizers("a", "b"),
      finalizers("a", "x", "b"),
    ],
    [
      "a new item stands before what it was applied before",
      finalizers("a", "b"),
      finalizers("a", "n", "b"),
      finalizers("a", "n", "b"),
    ],
    ["reordered around another's item", finalizers("a", "x", "b"), finalizers("b", "a"), finalizers("x", "b", "a")],
    ["new items first", finalizers("a"), finalizers("n", "a"), finalizers("n", "a")],
    ["both have their own", finalizers("a", "b", "c"), finalizers("d", "b", "e"), finalizers("a", "d", "b", "c", "e")],
    [
      "items are merged by key",
      { spec: { containers: [{ name: "a", image: "1", tty: true }] } },
      { spec: { containers: [{ name: "a", image: "2" }] } },
      { spec: { containers: [{ name: "a", image: "2", tty: true }] } },
    ],
    [
      "an item without the default in its key finds the one with it",
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, protocol: "TCP" }] }] } },
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, name: "n" }] }] } },
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 1, protocol: "TCP", name: "n" }] }] } },
    ],
    [
      "duplicates of the object are replaced by the one applied",
      {
        spec: {
          containers: [
            { name: "a", image: "1" },
            { name: "a", image: "2" },
          ],
        },
      },
      { spec: { containers: [{ name: "a", image: "3" }] } },
      { spec: { containers: [{ name: "a", image: "3" }] } },
    ],
    [
      "duplicates that are not applied stay",
      {
        spec: {
          containers: [
            { name: "a", image: "1" },
            { name: "a", image: "2" },
          ],
        },
      },
      { spec: { containers: [{ name: "b" }] } },
      { spec: { containers: [{ name: "a", image: "1" }, { name: "a", image: "2" }, { name: "b" }] } },
    ],
  ])("%s", (_, live, applied, expected) => {
    expect(merge(live as unknown as JsonObject, applied as unknown as JsonObject, typeOfKind(POD))).toEqual(expected);
  });
});

describe("removing field paths from an object", () => {
  const remove = (object: JsonValue, fields: string) =>
    atOnce(removeItemsSteps(object as JsonObject, parseFieldsV1(JSON.parse(fields) as JsonValue), typeOfKind(POD)));
  test.each([
    ["a leaf", { spec: { nodeName: "a", hostname: "h" } }, '{"f:spec":{"f:nodeName":{}}}', { spec: { hostname: "h" } }],
    ["the last leaf leaves null", { spec: { nodeName: "a" } }, '{"f:spec":{"f:nodeName":{}}}', { spec: null }],
    [
      "a map key",
      { metadata: { labels: { a: "1", b: "2" } } },
      '{"f:metadata":{"f:labels":{"f:a":{}}}}',
      { metadata: { labels: { b: "2" } } },
    ],
    [
      "a list item",
      { spec: { containers: [{ name: "a" }, { name: "b" }] } },
      '{"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{}}}}',
      { spec: { containers: [{ name: "b" }] } },
    ],
    [
      "an item of a set",
      { metadata: { finalizers: ["a", "b"] } },
      '{"f:metadata":{"f:finalizers":{"v:\\"a\\"":{}}}}',
      { metadata: { finalizers: ["b"] } },
    ],
    [
      "a field of an item",
      { spec: { containers: [{ name: "a", image: "1" }] } },
      '{"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{"f:image":{}}}}}',
      { spec: { containers: [{ name: "a" }] } },
    ],
    ["the whole of a struct", { spec: { nodeName: "a" }, status: {} }, '{"f:spec":{}}', { status: {} }],
    ["what is not there", { spec: { nodeName: "a" } }, '{"f:spec":{"f:hostname":{}}}', { spec: { nodeName: "a" } }],
  ])("%s", (_, object, fields, expected) => {
    expect(remove(object as JsonValue, fields)).toEqual(expected);
  });
});

describe("checking an object against its schema", () => {
  test.each([
    ["an unknown field", { spec: { foo: 1 } }, ".spec.foo: field not declared in schema"],
    [
      "an unknown field of an item",
      container({ foo: 1 }),
      '.spec.containers[name="c"].foo: field not declared in schema',
    ],
    [
      "a number for a text",
      { spec: { nodeName: 1 } },
      ".spec.nodeName: expected string, got &value.valueUnstructured{Value:1}",
    ],
    [
      "a boolean for a text",
      { metadata: { labels: { a: true } } },
      ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:true}",
    ],
    [
      "a list for a text",
      { spec: { nodeName: ["a", 1] } },
      '.spec.nodeName: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", 1}}',
    ],
    [
      "an object for a text",
      { spec: { nodeName: { b: 1, a: null } } },
      '.spec.nodeName: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":interface {}(nil), "b":1}}',
    ],
    ["a text for a number", { spec: { priority: "1" } }, ".spec.priority: expected numeric (int or float), got string"],
    [
      "a boolean for a number",
      { spec: { priority: true } },
      ".spec.priority: expected numeric (int or float), got bool",
    ],
    [
      "a list for a number",
      { spec: { priority: [] } },
      ".spec.priority: expected numeric (int or float), got []interface {}",
    ],
    [
      "an object for a number",
      { spec: { priority: {} } },
      ".spec.priority: expected numeric (int or float), got map[string]interface {}",
    ],
    ["a text for a boolean", { spec: { hostNetwork: "yes" } }, ".spec.hostNetwork: expected boolean, got &{yes}"],
    ["a text for a list", { spec: { containers: "a" } }, ".spec.containers: expected list, got &{a}"],
    ["a text for an object", { spec: "a" }, ".spec: expected map, got &{a}"],
    ["a list for an object", { spec: [] }, ".spec: expected map, got &{[]}"],
    [
      "an object for a quantity",
      container({ resources: { limits: { cpu: {} } } }),
      '.spec.containers[name="c"].resources.limits.cpu: expected any scalar, got &{map[]}',
    ],
    [
      "two items of one key",
      { spec: { containers: [{ name: "a" }, { name: "a" }] } },
      '.spec.containers: duplicate entries for key [name="a"]',
    ],
    [
      "two items of one default key",
      container({ ports: [{ containerPort: 1 }, { containerPort: 1, protocol: "TCP" }] }),
      '.spec.containers[name="c"].ports: duplicate entries for key [containerPort=1,protocol="TCP"]',
    ],
    [
      "two equal items of a set",
      { metadata: { finalizers: ["a", "a"] } },
      '.metadata.finalizers: duplicate entries for key [="a"]',
    ],
    [
      "an item without its key",
      { spec: { containers: [{ image: "a" }] } },
      '.spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      "an item that is null",
      { spec: { containers: [null] } },
      ".spec.containers: element 0: associative list with keys may not have a null element",
    ],
    [
      "an item that is no object",
      { spec: { containers: ["a"] } },
      ".spec.containers: element 0: associative list with keys may not have non-map elements",
    ],
    [
      "an object in a set",
      { metadata: { finalizers: [{}] } },
      ".metadata.finalizers: element 0: associative list without keys has an element that's a map type",
    ],
    [
      "a list in a set",
      { metadata: { finalizers: [[]] } },
      ".metadata.finalizers: element 0: not supported: associative list with lists as elements",
    ],
    [
      "null in a set",
      { metadata: { finalizers: [null] } },
      ".metadata.finalizers: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      "an item of an atomic list, by its index",
      { spec: { tolerations: [{ foo: 1 }] } },
      ".spec.tolerations[0].foo: field not declared in schema",
    ],
    [
      "two problems",
      { spec: { nodeName: 1, hostname: 2 } },
      "errors:\n  .spec.nodeName: expected string, got &value.valueUnstructured{Value:1}\n  .spec.hostname: expected string, got &value.valueUnstructured{Value:2}",
    ],
  ])("reports %s", (_, object, message) => {
    expect(() => validate(object as unknown as JsonValue, typeOfKind(POD))).toThrow(message);
    try {
      validate(object as unknown as JsonValue, typeOfKind(POD));
    } catch (error) {
      expect((error as Error).message).toBe(message);
    }
  });

  test.each([
    ["null anywhere", { spec: { nodeName: null, containers: null, priority: null } }],
    ["a number as a quantity", container({ resources: { limits: { cpu: 1 } } })],
    ["a text or a number as a port", container({ livenessProbe: { httpGet: { port: "http" } } })],
    ["nothing", {}],
  ])("accepts %s", (_, object) => {
    expect(() => validate(object as JsonValue, typeOfKind(POD))).not.toThrow();
  });
});

describe("an object prepared for field tracking", () => {
  test("has zero structs, lacks empty values, and shares unchanged parts with the original", () => {
    const labels = { a: "1" };
    const object = {
      metadata: { name: "x", labels },
      spec: { template: { spec: { containers: [{ name: "c" }] } }, paused: false },
    };
    const view = encodedView(object, structOfKind(DEPLOYMENT));
    expect(view).toEqual({
      metadata: { name: "x", labels: { a: "1" } },
      spec: {
        selector: null,
        strategy: {},
        template: { metadata: {}, spec: { containers: [{ name: "c", resources: {} }] } },
      },
      status: {},
    });
    expect((view["metadata"] as JsonObject)["labels"]).toBe(labels);
  });
});
