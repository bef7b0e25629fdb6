import { describe, expect, test } from "vitest";
import { excluding } from "../../../src/machinery/apply/field-filter.js";
import { isStatusError, type StatusError } from "../../../src/machinery/errors/status-error.js";
import { isJsonObject, type JsonObject } from "../../../src/machinery/meta/json.js";
import { CONFIG_MAP, DEPLOYMENT, fieldManagerOf, objectOf, POD, SERVICE, storedView, typeOfKind } from "./kinds.js";

type Kind = typeof POD;

/** An object that several managers work on, as a server would keep it. */
class Live {
  object: JsonObject | undefined;
  time = 0;

  constructor(
    readonly kind: Kind,
    readonly options: Parameters<typeof fieldManagerOf>[1] = {},
  ) {}

  #manager(subresource = "") {
    const now = () => new Date(Date.UTC(2026, 0, 1, 0, 0, this.time)).toISOString().replace(".000", "");
    return fieldManagerOf(this.kind, { now, ...this.options, subresource });
  }

  apply(manager: string, fields: JsonObject, { force = false, metadata = {} as JsonObject } = {}): this {
    const applied = objectOf(this.kind, fields, metadata);
    this.object = storedView(this.kind, this.#manager().apply(this.object, applied, manager, force));
    return this;
  }

  update(manager: string, fields: JsonObject, { metadata = {} as JsonObject, subresource = "" } = {}): this {
    const given = objectOf(this.kind, fields, metadata);
    const next = storedView(this.kind, given);
    const managedFields = this.#manager(subresource).update(this.object, next, manager, metadata["managedFields"]);
    const { managedFields: _, ...rest } = next["metadata"] as JsonObject;
    this.object = { ...next, metadata: { ...rest, ...(managedFields && { managedFields }) } };
    return this;
  }

  at(time: number): this {
    this.time = time;
    return this;
  }

  get spec(): JsonObject {
    return this.#part("spec");
  }

  get metadata(): JsonObject {
    return this.#part("metadata");
  }

  #part(name: string): JsonObject {
    const part = this.object?.[name];
    return isJsonObject(part) ? part : {};
  }

  get entries(): JsonObject[] {
    return (this.metadata["managedFields"] ?? []) as JsonObject[];
  }

  /** "<operation> <manager> <fieldsV1>" of each entry, in order. */
  get owners(): string[] {
    return this.entries.map((entry) => {
      const under = entry["subresource"] === undefined ? "" : `/${entry["subresource"] as string}`;
      return `${entry["operation"] as string} ${entry["manager"] as string}${under} ${JSON.stringify(entry["fieldsV1"])}`;
    });
  }
}

function failure(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (isStatusError(error)) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

const map = (...managers: (readonly [string, JsonObject])[]) => {
  const live = new Live(CONFIG_MAP);
  for (const [manager, data] of managers) live.apply(manager, { data });
  return live;
};

const deployment = (replicas: number | undefined, image = "nginx"): JsonObject => ({
  spec: {
    ...(replicas !== undefined && { replicas }),
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image }] } },
  },
});

describe("the first server-side apply of an object", () => {
  test("creates the object and makes the applier own its fields", () => {
    const live = map(["one", { a: "1" }]);
    expect(live.object?.["data"]).toEqual({ a: "1" });
    expect(live.entries).toEqual([
      {
        manager: "one",
        operation: "Apply",
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {} } },
      },
    ]);
  });

  test("writes a managedFields entry in the order of the wire format", () => {
    expect(Object.keys(map(["one", { a: "1" }]).entries[0] ?? {})).toEqual([
      "manager",
      "operation",
      "apiVersion",
      "time",
      "fieldsType",
      "fieldsV1",
    ]);
  });

  test.each([
    [
      "labels and annotations",
      { labels: { l: "1" }, annotations: { n: "" } },
      '{"f:data":{"f:a":{}},"f:metadata":{"f:annotations":{"f:n":{}},"f:labels":{"f:l":{}}}}',
    ],
    ["finalizers", { finalizers: ["a/b"] }, '{"f:data":{"f:a":{}},"f:metadata":{"f:finalizers":{"v:\\"a/b\\"":{}}}}'],
    [
      "nothing of what the server sets",
      { uid: "u", resourceVersion: "1", generation: 1, creationTimestamp: null, selfLink: "x" },
      '{"f:data":{"f:a":{}}}',
    ],
  ])("makes the applier own %s", (_, metadata, fields) => {
    const live = new Live(CONFIG_MAP).apply("one", { data: { a: "1" } }, { metadata });
    expect(live.owners).toEqual([`Apply one ${fields}`]);
  });

  test("of only a name owns nothing, and writes no entry", () => {
    expect(new Live(CONFIG_MAP).apply("one", {}).entries).toEqual([]);
  });

  test("owns a list item with and without its key's default value", () => {
    const live = new Live(SERVICE).apply("one", { spec: { ports: [{ port: 80 }] } });
    live.apply("one", { spec: { ports: [{ port: 80, protocol: "TCP" }] } });
    expect(live.spec["ports"]).toEqual([{ port: 80, protocol: "TCP", targetPort: 0 }]);
  });
});

describe("server-side apply, for fields that the applier leaves out,", () => {
  test.each([
    ["a map key goes", { a: "1", b: "2" }, { a: "1" }, { a: "1" }],
    ["the last key goes with the map", { a: "1" }, {}, undefined],
    ["everything changes", { a: "1" }, { b: "2" }, { b: "2" }],
    ["nothing changes", { a: "1" }, { a: "1" }, { a: "1" }],
  ])("removes them: %s", (_, first, second, expected) => {
    expect(map(["one", first], ["one", second]).object?.["data"]).toEqual(expected);
  });

  test("keeps those that another applier owns too", () => {
    const live = map(["one", { a: "1", b: "2" }], ["two", { b: "2" }], ["one", { a: "1" }]);
    expect(live.object?.["data"]).toEqual({ a: "1", b: "2" });
    expect(live.owners).toEqual(['Apply two {"f:data":{"f:b":{}}}', 'Apply one {"f:data":{"f:a":{}}}']);
  });

  test("keeps those that an updater has changed since, who then owns them", () => {
    const live = map(["one", { a: "1", b: "2" }]).update("two", { data: { a: "1", b: "3" } });
    live.apply("one", { data: { a: "1" } });
    expect(live.object?.["data"]).toEqual({ a: "1", b: "3" });
  });

  test("keeps those that an updater added", () => {
    const live = map(["one", { a: "1" }]).update("two", { data: { a: "1", b: "2" } });
    live.apply("one", { data: { c: "3" } });
    expect(live.object?.["data"]).toEqual({ b: "2", c: "3" });
  });

  test("removes a list item with all its fields", () => {
    const live = new Live(POD).apply("one", {
      spec: {
        containers: [
          { name: "a", image: "1" },
          { name: "b", image: "2" },
        ],
      },
    });
    live.apply("one", { spec: { containers: [{ name: "a", image: "1" }] } });
    expect(live.spec["containers"]).toEqual([{ name: "a", image: "1", resources: {} }]);
  });

  test("keeps a list item of which another manager owns a field, with that field and its key", () => {
    const live = new Live(POD).apply("one", {
      spec: {
        containers: [
          { name: "a", image: "1" },
          { name: "b", image: "2" },
        ],
      },
    });
    live.apply("two", { spec: { containers: [{ name: "b", tty: true }] } });
    live.apply("one", { spec: { containers: [{ name: "a", image: "1" }] } });
    expect(live.spec["containers"]).toEqual([
      { name: "a", image: "1", resources: {} },
      { name: "b", tty: true, resources: {} },
    ]);
  });

  test("removes an item of a set", () => {
    const live = new Live(POD).apply("one", {}, { metadata: { finalizers: ["a/a", "b/b"] } });
    live.apply("one", {}, { metadata: { finalizers: ["b/b"] } });
    expect(live.metadata["finalizers"]).toEqual(["b/b"]);
  });

  test("removes an atomic map as a whole", () => {
    const live = new Live(SERVICE).apply("one", { spec: { selector: { a: "1" }, type: "ClusterIP" } });
    live.apply("one", { spec: { type: "ClusterIP" } });
    expect(live.spec["selector"]).toBeUndefined();
  });
});

describe("conflicts of a server-side apply", () => {
  test("name the manager and the path", () => {
    const error = failure(() => map(["one", { a: "1" }], ["two", { a: "2" }]));
    expect(error.status).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      reason: "Conflict",
      details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" }] },
      code: 409,
    });
  });

  test("name the updater's API version too", () => {
    const live = new Live(DEPLOYMENT).update("kubectl", deployment(1));
    const error = failure(() => live.apply("two", deployment(2)));
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas');
    expect(error.status.details?.causes).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "kubectl" using apps/v1', field: ".spec.replicas" },
    ]);
  });

  test("name the updater's subresource too", () => {
    const live = map(["one", { a: "1" }]).update("two", { data: { a: "2" } }, { subresource: "status" });
    expect(failure(() => live.apply("one", { data: { a: "1" } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "two" with subresource "status" using v1: .data.a',
    );
  });

  test("with one manager list several paths", () => {
    expect(failure(() => map(["one", { a: "1", b: "1" }], ["two", { a: "2", b: "2" }])).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
    );
  });

  test("with several managers list each", () => {
    const run = () => map(["b", { a: "1" }], ["a", { b: "1" }], ["c", { a: "2", b: "2" }]);
    const error = failure(run);
    expect(error.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .data.b\nconflicts with "b":\n- .data.a',
    );
    expect(error.status.details?.causes?.map(({ field }) => field)).toEqual([".data.b", ".data.a"]);
  });

  test("count a path that two managers own twice", () => {
    expect(failure(() => map(["a", { k: "1" }], ["b", { k: "1" }], ["c", { k: "2" }])).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .data.k\nconflicts with "b":\n- .data.k',
    );
  });

  test("name the path within a list item", () => {
    const pod = (image: string) => ({ spec: { containers: [{ name: "c", image }] } });
    expect(failure(() => new Live(POD).apply("one", pod("1")).apply("two", pod("2"))).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.containers[name="c"].image',
    );
  });

  test("about an atomic list name the list", () => {
    const pod = (key: string) => ({ spec: { tolerations: [{ key }] } });
    expect(failure(() => new Live(POD).apply("one", pod("a")).apply("two", pod("b"))).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.tolerations',
    );
  });

  test.each([
    [
      "the same value is no conflict: both own it",
      { a: "1" },
      ['Apply one {"f:data":{"f:a":{}}}', 'Apply two {"f:data":{"f:a":{}}}'],
    ],
    ["another key is no conflict", { b: "1" }, ['Apply one {"f:data":{"f:a":{}}}', 'Apply two {"f:data":{"f:b":{}}}']],
  ])("do not arise in some cases: %s", (_, data, owners) => {
    expect([...map(["one", { a: "1" }], ["two", data]).owners].sort()).toEqual(owners);
  });

  test("leave the object and its owners unchanged", () => {
    const live = map(["one", { a: "1" }]);
    const before = JSON.stringify(live.object);
    failure(() => live.apply("two", { data: { a: "2" } }));
    expect(JSON.stringify(live.object)).toBe(before);
  });

  test("are resolved by force, which takes the path from the other managers", () => {
    const live = map(["one", { a: "1", b: "1" }]).apply("two", { data: { a: "2" } }, { force: true });
    expect(live.object?.["data"]).toEqual({ a: "2", b: "1" });
    expect(live.owners).toEqual(['Apply one {"f:data":{"f:b":{}}}', 'Apply two {"f:data":{"f:a":{}}}']);
  });

  test("that are forced remove the entry of a manager who owns nothing any more", () => {
    const live = map(["one", { a: "1" }]).apply("two", { data: { a: "2" } }, { force: true });
    expect(live.owners).toEqual(['Apply two {"f:data":{"f:a":{}}}']);
  });

  test("do not arise with the manager's own applied fields", () => {
    expect(map(["one", { a: "1" }], ["one", { a: "2" }]).object?.["data"]).toEqual({ a: "2" });
  });

  test("do arise with the same manager's updated fields", () => {
    const live = map(["one", { a: "1" }]).update("one", { data: { a: "2" } });
    expect(failure(() => live.apply("one", { data: { a: "3" } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "one" using v1: .data.a',
    );
  });
});

describe("an update tracked in managedFields", () => {
  test("that creates an object owns a new map and what is in it", () => {
    expect(new Live(CONFIG_MAP).update("one", { data: { a: "1" } }).owners).toEqual([
      'Update one {"f:data":{".":{},"f:a":{}}}',
    ]);
  });

  test("of a Deployment gives the entries that kube-apiserver writes", () => {
    const live = new Live(DEPLOYMENT).update("kubectl-create", deployment(1), { metadata: { labels: { app: "x" } } });
    expect(live.owners).toEqual([
      'Update kubectl-create {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:name":{},"f:resources":{}}}}}}}',
    ]);
  });

  test("gives the manager the fields that it changed, and removes them from others", () => {
    const live = map(["one", { a: "1", b: "1" }])
      .at(5)
      .update("two", { data: { a: "2", b: "1" } });
    expect(live.owners).toEqual(['Apply one {"f:data":{"f:b":{}}}', 'Update two {"f:data":{"f:a":{}}}']);
    expect(live.entries[1]?.["time"]).toBe("2026-01-01T00:00:05Z");
    expect(live.entries[0]?.["time"]).toBe("2026-01-01T00:00:00Z");
  });

  test("removes ownership of removed fields", () => {
    const live = map(["one", { a: "1", b: "1" }]).update("two", { data: { a: "1" } });
    expect(live.owners).toEqual(['Apply one {"f:data":{"f:a":{}}}']);
  });

  test("without a change keeps times and entries", () => {
    const live = map(["one", { a: "1" }])
      .at(5)
      .update("two", { data: { a: "1" } });
    expect(live.entries.map(({ time }) => time)).toEqual(["2026-01-01T00:00:00Z"]);
  });

  test("repeated by one manager stays one entry", () => {
    const live = new Live(CONFIG_MAP)
      .update("one", { data: { a: "1" } })
      .at(3)
      .update("one", { data: { a: "1", b: "1" } });
    expect(live.owners).toEqual(['Update one {"f:data":{".":{},"f:a":{},"f:b":{}}}']);
    expect(live.entries[0]?.["time"]).toBe("2026-01-01T00:00:03Z");
  });

  test("of a subresource is an entry of its own", () => {
    const live = new Live(CONFIG_MAP).update("one", { data: { a: "1" } });
    live.update("one", { data: { a: "2" } }, { subresource: "status" });
    expect(live.owners).toEqual(['Update one {"f:data":{}}', 'Update one/status {"f:data":{"f:a":{}}}']);
  });

  test("without a manager's name has the name unknown", () => {
    expect(new Live(CONFIG_MAP).update("", { data: { a: "1" } }).entries[0]?.["manager"]).toBe("unknown");
  });

  test("does not own fields that the endpoint resets", () => {
    const reset = excluding("status");
    const live = new Live(DEPLOYMENT, { reset }).update("one", { ...deployment(1), status: { replicas: 3 } });
    expect(live.owners[0]).not.toContain("f:status");
  });

  test("likewise leaves fields out of an apply that the endpoint resets", () => {
    const reset = excluding("status");
    const live = new Live(DEPLOYMENT, { reset }).apply("one", { ...deployment(1), status: { replicas: 3 } });
    expect(live.owners[0]).not.toContain("f:status");
  });
});

describe("the order of managedFields entries", () => {
  test("is appliers, then updaters, each by time, then by name", () => {
    const live = new Live(CONFIG_MAP)
      .at(3)
      .apply("b", { data: { b: "1" } })
      .apply("a", { data: { a: "1" } })
      .at(1)
      .apply("z", { data: { z: "1" } })
      .at(2)
      .update("u", { data: { a: "1", b: "1", z: "1", u: "1" } });
    expect(live.owners.map((owner) => owner.split(" ").slice(0, 2).join(" "))).toEqual([
      "Apply z",
      "Apply a",
      "Apply b",
      "Update u",
    ]);
  });

  test("has an applier first that joined without a change, because it has no time", () => {
    const live = map(["one", { a: "1" }], ["two", { a: "1" }]);
    expect(live.entries.map(({ manager, time }) => [manager, time])).toEqual([
      ["two", undefined],
      ["one", "2026-01-01T00:00:00Z"],
    ]);
  });

  test("is not changed by an apply without changes", () => {
    const live = map(["one", { a: "1" }])
      .at(9)
      .apply("one", { data: { a: "1" } });
    expect(live.entries[0]?.["time"]).toBe("2026-01-01T00:00:00Z");
  });
});

describe("managedFields with many updaters", () => {
  const updates = (count: number) => {
    const live = new Live(CONFIG_MAP);
    const data: JsonObject = {};
    for (let index = 0; index < count; index++) {
      data[`k${index}`] = "1";
      live.at(index).update(`m${index}`, { data: { ...data } });
    }
    return live;
  };

  test("keep ten", () => {
    expect(updates(10).entries).toHaveLength(10);
  });

  test("merge of eleven the oldest two into one", () => {
    const { owners, entries } = updates(11);
    expect(owners).toHaveLength(10);
    expect(owners[0]).toBe('Update ancient-changes {"f:data":{".":{},"f:k0":{},"f:k1":{}}}');
    expect(entries[0]?.["time"]).toBe("2026-01-01T00:00:01Z");
    expect(owners[1]).toBe('Update m2 {"f:data":{"f:k2":{}}}');
  });

  test("merge of fourteen the oldest five into one", () => {
    const { owners } = updates(14);
    expect(owners).toHaveLength(10);
    expect(owners[0]).toBe(
      'Update ancient-changes {"f:data":{".":{},"f:k0":{},"f:k1":{},"f:k2":{},"f:k3":{},"f:k4":{}}}',
    );
  });
});

describe("managedFields that a request sends", () => {
  const given = (managedFields: JsonObject[]) =>
    map(["one", { a: "1" }]).update("two", { data: { a: "1" } }, { metadata: { managedFields } });

  test.each([
    ["an empty list resets them", []],
    ["a list of an empty entry resets them", [{}]],
  ])("reset the tracking: %s", (_, managedFields) => {
    expect(given(managedFields).entries).toEqual([]);
  });

  test('leave nothing tracked after a reset until the next apply, which finds the former owner "before-first-apply"', () => {
    const live = given([]).update("three", { data: { a: "1", b: "1" } });
    expect(live.entries).toEqual([]);
    live.apply("four", { data: { c: "1" } });
    expect(live.owners).toEqual([
      'Apply four {"f:data":{"f:c":{}}}',
      'Update before-first-apply {"f:data":{".":{},"f:a":{},"f:b":{}}}',
    ]);
  });

  test("replace those of the object when they are valid", () => {
    const entry = {
      manager: "me",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:a": {} } },
    };
    expect(given([entry]).owners).toEqual(['Update me {"f:data":{"f:a":{}}}']);
  });

  test.each([
    ["an operation nobody knows", { manager: "me", operation: "Merge", apiVersion: "v1", fieldsType: "FieldsV1" }],
    ["no version", { manager: "me", operation: "Apply", fieldsType: "FieldsV1" }],
    ["no type of fields", { manager: "me", operation: "Apply", apiVersion: "v1" }],
    ["a type of fields nobody knows", { manager: "me", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV2" }],
    [
      "fields that are none",
      { manager: "me", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { a: {} } },
    ],
  ])("are ignored with %s", (_, entry) => {
    expect(given([entry]).owners).toEqual(['Apply one {"f:data":{"f:a":{}}}']);
  });

  test("are ignored on a subresource", () => {
    const live = map(["one", { a: "1" }]);
    live.update("two", { data: { a: "1" } }, { metadata: { managedFields: [] }, subresource: "status" });
    expect(live.owners).toEqual(['Apply one {"f:data":{"f:a":{}}}']);
  });

  test("are refused in an applied configuration", () => {
    const error = failure(() => new Live(CONFIG_MAP).apply("one", {}, { metadata: { managedFields: [] } }));
    expect(error.message).toBe("metadata.managedFields must be nil");
    expect(error.code).toBe(400);
  });
});

describe("moving from client-side to server-side apply", () => {
  const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
  const applied = (data: JsonObject) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data });
  const clientSide = (data: JsonObject, annotation = applied(data)) =>
    new Live(CONFIG_MAP).update(
      "kubectl-client-side-apply",
      { data },
      { metadata: { annotations: { [ANNOTATION]: annotation } } },
    );

  test("gives kubectl the fields of the last-applied annotation", () => {
    const live = clientSide({ a: "1" }).apply("kubectl", { data: { a: "2" } });
    expect(live.object?.["data"]).toEqual({ a: "2" });
    expect(live.owners[0]).toBe('Apply kubectl {"f:data":{"f:a":{}}}');
  });

  test("updates the annotation to the applied configuration", () => {
    const live = clientSide({ a: "1" }).apply("kubectl", { data: { a: "2" } });
    const { annotations } = live.metadata as { annotations: JsonObject };
    expect(annotations[ANNOTATION]).toBe(
      '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"x","namespace":"default"}}\n',
    );
  });

  test("is only done for kubectl's own manager name", () => {
    const error = failure(() => clientSide({ a: "1" }).apply("helm", { data: { a: "2" } }));
    expect(error.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
    );
  });

  test("leaves out fields that have changed since", () => {
    const live = clientSide({ a: "1", b: "1" }).update(
      "other",
      { data: { a: "9", b: "1" } },
      {
        metadata: { annotations: { [ANNOTATION]: applied({ a: "1", b: "1" }) } },
      },
    );
    expect(failure(() => live.apply("kubectl", { data: { a: "2", b: "2" } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "other" using v1: .data.a',
    );
  });

  test.each([
    ["that is no JSON", "{"],
    ["of another version", JSON.stringify({ apiVersion: "v2", kind: "ConfigMap", data: { a: "1" } })],
    ["that does not fit the kind", JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", data: { a: 1 } })],
  ])("ignores an annotation %s", (_, annotation) => {
    expect(failure(() => clientSide({ a: "1" }, annotation).apply("kubectl", { data: { a: "2" } })).code).toBe(409);
  });
});

describe("an apply of a configuration of another kind or version is refused", () => {
  const wrong = (applied: JsonObject) =>
    failure(() => fieldManagerOf(DEPLOYMENT).apply(undefined, applied, "one", false));
  test.each([
    [
      "another version",
      { apiVersion: "apps/v1beta1", kind: "Deployment" },
      400,
      "invalid object type: apps/v1beta1, Kind=Deployment",
    ],
    ["another kind", { apiVersion: "v1", kind: "Pod" }, 400, "invalid object type: /v1, Kind=Pod"],
    [
      "a field that the kind does not have",
      { ...objectOf(DEPLOYMENT, {}), foo: 1 },
      400,
      "failed to create typed patch object (default/x; apps/v1, Kind=Deployment): .foo: field not declared in schema",
    ],
  ])("for %s", (_, applied, code, message) => {
    const error = wrong(applied as JsonObject);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe("managedFields with several versions of one kind", () => {
  // The other version keeps its data under binaryData.
  const rename = (object: JsonObject, from: string, to: string): JsonObject => {
    const [old, now] = from === "v1" ? ["data", "binaryData"] : ["binaryData", "data"];
    const { [old]: data, ...rest } = object;
    return { ...rest, apiVersion: to, ...(data !== undefined && { [now]: data }) };
  };
  const other = { otherVersions: { "kubets.dev/v2": typeOfKind(CONFIG_MAP) }, convert: rename };
  const owner = (apiVersion: string): JsonObject => ({
    manager: "other",
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:binaryData": { "f:a": {} } },
  });
  const withOwner = (apiVersion: string, options = {}) =>
    new Live(CONFIG_MAP, options)
      .update("one", { data: { a: "1" } })
      .update("one", { data: { a: "1" } }, { metadata: { managedFields: [owner(apiVersion)] } });

  test("report a conflict by the path in the owner's version", () => {
    const live = withOwner("kubets.dev/v2", other);
    expect(failure(() => live.apply("two", { data: { a: "2" } })).message).toContain(": .binaryData.a");
  });

  test("lose an owner whose version no longer exists", () => {
    const live = withOwner("kubets.dev/v3", other).apply("two", { data: { a: "2" } }, { force: true });
    expect(live.owners.some((entry) => entry.includes("other"))).toBe(false);
  });
});

describe("a value nested too deeply for the stack", () => {
  const deep = (levels: number): JsonObject => {
    let value: JsonObject = {};
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };
  const REVISIONS = { group: "apps", version: "v1", kind: "ControllerRevision" };

  test("makes an update drop managedFields", () => {
    const manager = fieldManagerOf(REVISIONS);
    const [live, next] = [deep(100_000), deep(100_000)].map((data) => objectOf(REVISIONS, { data }));
    expect(manager.update(live, next ?? {}, "one")).toBeUndefined();
  });

  test("is refused by an apply", () => {
    const applied = objectOf(REVISIONS, { data: deep(100_000) });
    expect(failure(() => fieldManagerOf(REVISIONS).apply(undefined, applied, "one", false)).message).toBe(
      "exceeded max depth",
    );
  });
});
