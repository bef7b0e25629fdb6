import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { boxesOf, DEFINITIONS, established, install as installDefinition } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";

const MERGE = { type: "application/merge-patch+json" };

const spec = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10 },
    colour: { type: "string", default: "brown", description: "Of the outside." },
  },
};
const status = { type: "object", properties: { size: { type: "integer" }, selector: { type: "string" } } };

/** A definition of a kind of its own group, so that tests do not meet each other. */
function definition(group: string, changes: JsonObject = {}, version: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `boxes.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "boxes", singular: "box", kind: "Box", listKind: "BoxList", shortNames: ["bx"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
          ...version,
        },
      ],
      ...changes,
    },
  };
}

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
});
afterAll(() => cluster.close());

async function install(group: string, changes?: JsonObject, version?: JsonObject): Promise<string> {
  await installDefinition(api, definition(group, changes, version));
  return boxesOf(group);
}

const box = (name: string, size: number): JsonObject => ({ metadata: { name }, spec: { size } });

interface Described extends JsonObject {
  readonly description?: string;
  readonly properties: Record<string, Described>;
}

type Operations = Readonly<
  Record<
    string,
    { readonly consumes?: readonly string[]; readonly requestBody?: { readonly content: JsonObject } } | undefined
  >
>;

interface Aggregated {
  readonly metadata: { readonly name: string };
  readonly versions: readonly { readonly resources: readonly JsonObject[] }[];
}

/** The properties of a schema that have a description. */
function described(schema: Described | undefined): readonly string[] {
  const properties = Object.entries(schema?.properties ?? {});
  return properties.flatMap(([name, { description }]) => (description === undefined ? [] : [name])).toSorted();
}

describe("an established CustomResourceDefinition", () => {
  test("has conditions and its accepted names", async () => {
    await install("names.example.com");
    const found = await call(api, "GET", `${DEFINITIONS}/boxes.names.example.com`);
    expect(found.at("status.acceptedNames")).toEqual({
      kind: "Box",
      listKind: "BoxList",
      plural: "boxes",
      singular: "box",
      shortNames: ["bx"],
    });
    const conditions = found.at("status.conditions") as readonly JsonObject[];
    expect(conditions.map(({ type, status: held, reason, message }) => [type, held, reason, message])).toEqual([
      ["NamesAccepted", "True", "NoConflicts", "no conflicts found"],
      ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"],
    ]);
    const writers = (found.at("metadata.managedFields") as readonly JsonObject[]).map(({ manager, subresource }) => [
      manager,
      subresource,
    ]);
    expect(writers).toContainEqual(["kube-apiserver", "status"]);
  });

  test("serves its kind with defaults, validation and generation", async () => {
    const boxes = await install("served.example.com");
    const created = await call(api, "POST", boxes, box("a", 2));
    expect([created.status, created.at("spec"), created.at("metadata.generation")]).toEqual([
      201,
      { size: 2, colour: "brown" },
      1,
    ]);
    const refused = await call(api, "POST", boxes, box("b", 11));
    expect([refused.status, refused.at("message")]).toEqual([
      422,
      'Box.served.example.com "b" is invalid: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10',
    ]);
    const patched = await call(api, "PATCH", `${boxes}/a`, { spec: { size: 3 } }, MERGE);
    expect([patched.status, patched.at("metadata.generation")]).toEqual([200, 2]);
  });

  test("appears in discovery and in OpenAPI", async () => {
    await install("found.example.com");
    const resources = await call(api, "GET", "/apis/found.example.com/v1");
    expect(resources.at("resources.0")).toMatchObject({ name: "boxes", singularName: "box", shortNames: ["bx"] });
    const document = await call(api, "GET", "/openapi/v3/apis/found.example.com/v1");
    const { schemas } = document.at("components") as { schemas: Record<string, { properties: JsonObject }> };
    expect(schemas["com.example.found.v1.Box"]?.properties["spec"]).toEqual(spec);
  });

  test("appears in both forms of discovery, with status before scale", async () => {
    const group = "discovered.example.com";
    const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
    await install(group, {}, { subresources: { scale, status: {} } });
    const listed = await call(api, "GET", `/apis/${group}/v1`);
    expect((listed.at("resources") as readonly JsonObject[]).map(({ name }) => name)).toEqual([
      "boxes",
      "boxes/status",
      "boxes/scale",
    ]);
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const answer = await call(api, "GET", "/apis", undefined, { headers: { accept } });
    const { items } = JSON.parse(answer.text) as { items: readonly Aggregated[] };
    const found = items.find(({ metadata }) => metadata.name === group);
    const kind = { group, version: "v1", kind: "Box" };
    expect(found?.versions[0]?.resources[0]).toMatchObject({
      responseKind: kind,
      subresources: [
        { subresource: "status", responseKind: kind },
        { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" } },
      ],
    });
  });

  test("is described in OpenAPI with common fields, selectable fields and request media types", async () => {
    const group = "described.example.com";
    const embedded = { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec } };
    await install(
      group,
      {},
      {
        schema: { openAPIV3Schema: { type: "object", properties: { spec, embedded } } },
        selectableFields: [{ jsonPath: ".spec.colour" }],
      },
    );
    const read = async (path: string, at: string): Promise<readonly [Record<string, Described>, JsonObject]> => {
      const document = await call(api, "GET", path);
      return [document.at(at) as Record<string, Described>, document.at("paths") as JsonObject];
    };
    await eventually(async () => {
      expect((await call(api, "GET", "/openapi/v2")).text).toContain("com.example.described.v1.Box");
    });
    const [v3, v3Paths] = await read(`/openapi/v3/apis/${group}/v1`, "components.schemas");
    const [v2, v2Paths] = await read("/openapi/v2", "definitions");
    for (const definitions of [v3, v2]) {
      const box = definitions["com.example.described.v1.Box"];
      const list = definitions["com.example.described.v1.BoxList"];
      const [common, ofLists] = [
        ["apiVersion", "kind", "metadata"],
        ["apiVersion", "items", "kind", "metadata"],
      ];
      expect(described(box)).toEqual(common);
      expect(described(box?.properties["embedded"])).toEqual(common);
      expect(described(list)).toEqual(ofLists);
      for (const one of [box, list]) {
        expect(one?.["x-kubernetes-selectable-fields"]).toEqual([{ fieldPath: "spec.colour" }]);
      }
    }
    const path = `/apis/${group}/v1/namespaces/{namespace}/boxes`;
    const types = ["application/json", "application/yaml"];
    for (const [where, method] of [
      [path, "post"],
      [path, "delete"],
      [`${path}/{name}`, "put"],
      [`${path}/{name}`, "delete"],
    ] as const) {
      const content = (v3Paths[where] as Operations)[method]?.requestBody?.content ?? {};
      expect([where, method, Object.keys(content)]).toEqual([where, method, types]);
      expect((v2Paths[where] as Operations)[method]?.consumes).toEqual(types);
    }
  });

  test("serves no strategic merge patch", async () => {
    const boxes = await install("patched.example.com");
    await call(api, "POST", boxes, box("a", 2));
    const refused = await call(api, "PATCH", `${boxes}/a`, {}, { type: "application/strategic-merge-patch+json" });
    expect([refused.status, refused.at("message")]).toEqual([
      415,
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    ]);
  });

  test("shows its printer columns", async () => {
    const additionalPrinterColumns = [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Colour", type: "string", jsonPath: ".spec.colour", priority: 1 },
      { name: "Absent", type: "date", jsonPath: ".spec.absent" },
    ];
    const boxes = await install("columns.example.com", {}, { additionalPrinterColumns });
    await call(api, "POST", boxes, box("a", 2));
    const table = await call(api, "GET", boxes, undefined, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    const columns = table.at("columnDefinitions") as readonly JsonObject[];
    expect(columns.map(({ name, priority }) => [name, priority])).toEqual([
      ["Name", 0],
      ["Size", 0],
      ["Colour", 1],
      ["Absent", 0],
    ]);
    expect(table.at("rows.0.cells")).toEqual(["a", 2, "brown", null]);
  });

  test("serves its kind when a column's JSONPath cannot be parsed: the table ends before that column", async () => {
    const additionalPrinterColumns = [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "App", type: "string", jsonPath: '.metadata.labels["app"]' },
      { name: "Colour", type: "string", jsonPath: ".spec.colour" },
    ];
    const boxes = await install("unparsed.example.com", {}, { additionalPrinterColumns });
    expect((await call(api, "POST", boxes, box("a", 2))).status).toBe(201);
    const table = await call(api, "GET", boxes, undefined, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    const columns = table.at("columnDefinitions") as readonly JsonObject[];
    expect(columns.map(({ name }) => name)).toEqual(["Name", "Size"]);
    expect(table.at("rows.0.cells")).toEqual(["a", 2]);
    expect((await call(api, "DELETE", `${boxes}/a`)).status).toBe(200);
    expect((await call(api, "DELETE", `${DEFINITIONS}/boxes.unparsed.example.com`)).status).toBe(200);
    await eventually(async () => {
      expect((await call(api, "GET", `${DEFINITIONS}/boxes.unparsed.example.com`)).status).toBe(404);
    });
  });

  test("has the subresources status and scale when declared", async () => {
    const scale = {
      specReplicasPath: ".spec.size",
      statusReplicasPath: ".status.size",
      labelSelectorPath: ".status.selector",
    };
    const boxes = await install("parts.example.com", {}, { subresources: { status: {}, scale } });
    const created = await call(api, "POST", boxes, { ...box("a", 2), status: { size: 7 } });
    expect(created.at("status")).toBeUndefined();
    await call(api, "PATCH", `${boxes}/a/status`, { status: { size: 1, selector: "a=b" }, spec: { size: 9 } }, MERGE);
    expect((await call(api, "GET", `${boxes}/a`)).at("spec.size")).toBe(2);
    const scaled = await call(api, "PATCH", `${boxes}/a/scale`, { spec: { replicas: 5 } }, MERGE);
    expect([scaled.at("spec"), scaled.at("status")]).toEqual([{ replicas: 5 }, { replicas: 1, selector: "a=b" }]);
    expect((await call(api, "GET", `${boxes}/a`)).at("spec.size")).toBe(5);
  });

  test("selects by its declared fields", async () => {
    const boxes = await install("fields.example.com", {}, { selectableFields: [{ jsonPath: ".spec.colour" }] });
    await call(api, "POST", boxes, { metadata: { name: "a" }, spec: { size: 1, colour: "red" } });
    await call(api, "POST", boxes, box("b", 1));
    const red = await call(api, "GET", `${boxes}?fieldSelector=spec.colour%3Dred`);
    expect((red.at("items") as readonly JsonObject[]).map(({ metadata }) => (metadata as JsonObject)["name"])).toEqual([
      "a",
    ]);
    const unknown = await call(api, "GET", `${boxes}?fieldSelector=spec.size%3D1`);
    expect([unknown.status, unknown.at("message")]).toEqual([
      400,
      expect.stringContaining("field label not supported"),
    ]);
  });

  test("warns about a deprecated version, and serves it only by name", async () => {
    const any = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const { versions } = definition("old.example.com")["spec"] as { versions: JsonObject[] };
    const old = { name: "v1beta1", served: true, storage: false, deprecated: true, schema: any };
    const boxes = await install("old.example.com", { versions: [...versions, old] });
    await call(api, "POST", boxes, box("a", 2));
    const found = await call(api, "GET", `${boxesOf("old.example.com", "v1beta1")}/a`);
    expect([found.at("apiVersion"), found.at("spec.size")]).toEqual(["old.example.com/v1beta1", 2]);
    expect(found.headers["warning"]).toEqual([
      '299 - "old.example.com/v1beta1 Box is deprecated; use old.example.com/v1 Box"',
    ]);
  });
});

test("AC-1, C-AGG-02, C-AGG-03: each group version with a custom resource has an APIService while a definition serves it", async () => {
  const services = "/apis/apiregistration.k8s.io/v1/apiservices";
  const { versions } = definition("listed.example.com")["spec"] as { versions: JsonObject[] };
  const second = { ...versions[0], name: "v2", storage: false };
  await install("listed.example.com", { versions: [...versions, second] });
  await eventually(async () => {
    const found = await call(api, "GET", `${services}/v2.listed.example.com`);
    expect([found.at("spec"), found.at("metadata.labels"), found.at("status.conditions.0.reason")]).toEqual([
      { group: "listed.example.com", version: "v2", groupPriorityMinimum: 1000, versionPriority: 100 },
      { "kube-aggregator.kubernetes.io/automanaged": "true" },
      "Local",
    ]);
  });
  const unserved = [...versions, { ...second, served: false }];
  await call(api, "PATCH", `${DEFINITIONS}/boxes.listed.example.com`, { spec: { versions: unserved } }, MERGE);
  await eventually(async () => {
    expect((await call(api, "GET", `${services}/v2.listed.example.com`)).status).toBe(404);
  });
  expect((await call(api, "GET", `${services}/v1.listed.example.com`)).status).toBe(200);
  await call(api, "DELETE", `${DEFINITIONS}/boxes.listed.example.com`);
  await eventually(async () => {
    expect((await call(api, "GET", `${services}/v1.listed.example.com`)).status).toBe(404);
  });
});

test("a definition in a Kubernetes group shows by whom it was approved", async () => {
  const url = "https://example.com/approved";
  const made: JsonObject = {
    ...definition("boxes.x-k8s.io"),
    metadata: { name: "boxes.boxes.k8s.io", annotations: { "api-approved.kubernetes.io": url } },
  };
  await call(api, "POST", DEFINITIONS, { ...made, spec: { ...(made["spec"] as JsonObject), group: "boxes.k8s.io" } });
  await eventually(async () => {
    const found = await call(api, "GET", `${DEFINITIONS}/boxes.boxes.k8s.io`);
    const conditions = found.at("status.conditions") as readonly JsonObject[];
    expect(conditions.map(({ type, status: held, reason, message }) => [type, held, reason, message])).toContainEqual([
      "KubernetesAPIApprovalPolicyConformant",
      "True",
      "ApprovedAnnotation",
      `approved in ${url}`,
    ]);
  });
});

test("a status that is no subresource counts for the generation", async () => {
  const boxes = await install("whole.example.com");
  await call(api, "POST", boxes, box("a", 2));
  const patched = await call(api, "PATCH", `${boxes}/a`, { status: { size: 1 } }, MERGE);
  expect([patched.at("status.size"), patched.at("metadata.generation")]).toEqual([1, 2]);
});

test("a changed schema applies to the next request", async () => {
  const boxes = await install("changed.example.com");
  await call(api, "POST", boxes, box("a", 2));
  const found = await call(api, "GET", `${DEFINITIONS}/boxes.changed.example.com`);
  const text = found.text.replace('"maximum":10', '"maximum":1000');
  expect((await call(api, "PUT", `${DEFINITIONS}/boxes.changed.example.com`, text)).status).toBe(200);
  await eventually(async () => {
    expect((await call(api, "PATCH", `${boxes}/a`, { spec: { size: 999 } }, MERGE)).status).toBe(200);
  });
});

test("a kind that another definition of the group has is not accepted, until that one is deleted", async () => {
  await install("conflict.example.com");
  const names = { plural: "crates", singular: "crate", kind: "Box", listKind: "BoxList" };
  const second = {
    ...definition("conflict.example.com", { names }),
    metadata: { name: "crates.conflict.example.com" },
  };
  await call(api, "POST", DEFINITIONS, second);
  await eventually(async () => {
    const found = await call(api, "GET", `${DEFINITIONS}/crates.conflict.example.com`);
    const conditions = found.at("status.conditions") as readonly JsonObject[];
    expect(conditions.map(({ type, status: held, reason, message }) => [type, held, reason, message])).toEqual([
      ["NamesAccepted", "False", "ListKindConflict", '"BoxList" is already in use'],
      ["Established", "False", "NotAccepted", "not all names are accepted"],
    ]);
  });
  await call(api, "DELETE", `${DEFINITIONS}/boxes.conflict.example.com`);
  await established(api, "crates.conflict.example.com");
});

test("deleting a definition waits until its objects are gone, and ends its API", async () => {
  const boxes = await install("gone.example.com");
  await call(api, "POST", boxes, { metadata: { name: "a", finalizers: ["example.com/held"] }, spec: { size: 1 } });
  const deleted = await call(api, "DELETE", `${DEFINITIONS}/boxes.gone.example.com`);
  expect(deleted.status).toBe(200);
  await eventually(async () => {
    expect((await call(api, "GET", `${boxes}/a`)).at("metadata.deletionTimestamp")).toBeDefined();
  });
  const listed = await call(api, "GET", "/apis/gone.example.com/v1");
  expect(listed.at("resources.0.verbs")).toEqual(["delete", "deletecollection", "get", "list", "watch"]);
  const refused = await call(api, "POST", boxes, box("b", 1));
  expect([refused.status, refused.at("message")]).toEqual([
    405,
    "create not allowed while custom resource definition is terminating",
  ]);
  await call(api, "PATCH", `${boxes}/a`, { metadata: { finalizers: null } }, MERGE);
  await eventually(async () => {
    expect((await call(api, "GET", `${DEFINITIONS}/boxes.gone.example.com`)).status).toBe(404);
    expect((await call(api, "GET", boxes)).status).toBe(404);
  });
});

test("a watch shows the objects deleted with their definition, and ends with it", async () => {
  const boxes = await install("watched.example.com");
  await call(api, "POST", boxes, box("a", 1));
  const held = await call(api, "POST", boxes, {
    metadata: { name: "b", finalizers: ["example.com/held"] },
    spec: { size: 1 },
  });
  const watch = await api.send({
    method: "GET",
    path: `${boxes}?watch=1&resourceVersion=${held.at("metadata.resourceVersion") as string}`,
    headers: { accept: "application/json" },
  });
  let text = "";
  const ended = (async () => {
    for await (const chunk of watch.body) text += Buffer.from(chunk).toString();
  })();
  const events = () => text.split("\n").filter((line) => line !== "");
  await call(api, "DELETE", `${DEFINITIONS}/boxes.watched.example.com`);
  await eventually(() => expect(events()).toHaveLength(2));
  await call(api, "PATCH", `${boxes}/b`, { metadata: { finalizers: null } }, MERGE);
  await ended;
  const seen = events().map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } });
  expect(seen.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    "DELETED a",
    "MODIFIED b",
    "DELETED b",
  ]);
});

test("errors in a custom resource's status name the field from the root of the status", async () => {
  const withIp = { type: "object", properties: { ip: { type: "string", format: "ipv4" } } };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec, status: withIp } } };
  const boxes = await install("sentences.example.com", {}, { subresources: { status: {} }, schema });
  expect((await call(api, "POST", boxes, box("a", 1))).status).toBe(201);
  const answer = await call(api, "PATCH", `${boxes}/a/status`, { status: { ip: "xyz" } }, MERGE);
  expect([answer.status, answer.at("message")]).toEqual([
    422,
    'Box.sentences.example.com "a" is invalid: status.ip: Invalid value: "xyz": ip in body must be of type ipv4: "xyz"',
  ]);
  const whole = await call(api, "PATCH", `${boxes}/a`, { spec: { size: 0 } }, MERGE);
  expect(whole.at("message")).toContain("spec.size: Invalid value: 0: spec.size in body should be");
});
