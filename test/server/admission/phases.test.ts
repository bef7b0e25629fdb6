import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AdmissionAttributes } from "../../../src/server/admission/attributes.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { object, text } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { admittingServer, type AdmittingServer, done } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";

/** One call of a recorder, as the tests read it. */
interface Seen {
  readonly phase: string;
  readonly operation: string;
  readonly kind: string;
  readonly resource: string;
  readonly at: string;
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
  readonly options: unknown;
  readonly dryRun: boolean;
  readonly user: string;
}

const seen: Seen[] = [];

function record(phase: string, attributes: AdmissionAttributes): void {
  const { operation, kind, resource, subresource, namespace, name, object: draft, oldObject } = attributes;
  const { options, dryRun, user } = attributes;
  seen.push({
    phase,
    operation,
    kind: [kind.group, kind.version, kind.kind].join("/"),
    resource: [resource.group, resource.version, resource.resource, subresource].join("/"),
    at: `${namespace}/${name}`,
    object: structuredClone(draft),
    oldObject: structuredClone(oldObject),
    options,
    dryRun,
    user: user.name,
  });
}

const recorder = (name: string): AdmissionPlugin => ({
  name,
  admit: (attributes) => record(`${name} admits`, attributes),
  validate: (attributes) => record(`${name} validates`, attributes),
});

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({ plugins: [{ plugin: recorder("A") }, { plugin: recorder("B") }] });
  await done(server.api, "POST", CONFIG_MAPS, { metadata: { name: "here", labels: { app: "x" } }, data: { a: "1" } });
  await done(server.api, "POST", DEPLOYMENTS, deployment("web"));
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(() => {
  seen.length = 0;
});

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const HERE = `${CONFIG_MAPS}/here`;
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PHASES = ["A admits", "B admits", "A validates", "B validates"];
const META = { apiVersion: "meta.k8s.io/v1" };

function deployment(name: string): object {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } };
  return { metadata: { name }, spec: { replicas: 1, selector: { matchLabels: { app: name } }, template } };
}

/** Both phases ran once over both plugins, in order; returns what the last mutating and the last validating one saw. */
function once(): { readonly mutating: Seen; readonly validating: Seen } {
  expect(seen.map(({ phase }) => phase)).toEqual(PHASES);
  const [, mutating, , validating] = seen;
  if (mutating === undefined || validating === undefined) throw new Error("nothing was recorded");
  return { mutating, validating };
}

describe("admission of a create", () => {
  test("shows the defaulted object to mutating plugins, and the fully formed one to validating plugins", async () => {
    await done(server.api, "POST", `${DEPLOYMENTS}?fieldManager=me&fieldValidation=Strict`, deployment("api"));
    const { mutating, validating } = once();
    expect(mutating).toMatchObject({
      operation: "CREATE",
      kind: "apps/v1/Deployment",
      resource: "apps/v1/deployments/",
      at: "default/api",
      options: { kind: "CreateOptions", ...META, fieldManager: "me", fieldValidation: "Strict" },
      dryRun: false,
      user: "admin",
      oldObject: undefined,
    });
    expect(object(mutating.object?.["spec"])["progressDeadlineSeconds"]).toBe(600);
    expect(mutating.object?.metadata).not.toHaveProperty("uid");
    expect(mutating.object?.metadata).not.toHaveProperty("generation");
    expect(validating.object?.metadata).toMatchObject({ uid: expect.any(String), generation: 1 });
    expect(validating.object?.metadata?.creationTimestamp).toBeDefined();
  });

  test("has no generated name before the validating phase", async () => {
    const answer = await done(server.api, "POST", CONFIG_MAPS, { metadata: { generateName: "x-" } });
    const { mutating, validating } = once();
    expect(mutating.at).toBe("default/");
    expect(validating.at).toBe(`default/${text(answer.at("metadata.name"))}`);
    expect(validating.object?.metadata?.name).toMatch(/^x-.{5}$/);
  });

  test("as a dry run passes both phases too", async () => {
    await done(server.api, "POST", `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: "dry" } });
    const { mutating, validating } = once();
    expect([mutating.dryRun, validating.dryRun]).toEqual([true, true]);
    expect(mutating.options).toEqual({ kind: "CreateOptions", ...META, dryRun: ["All"] });
  });

  test("of a Namespace has the Namespace's own name as its namespace", async () => {
    await done(server.api, "POST", "/api/v1/namespaces", { metadata: { name: "inner" } });
    expect(once().mutating.at).toBe("inner/inner");
  });

  test("of a review that is not stored passes both phases", async () => {
    const review = { spec: { resourceAttributes: { verb: "get", resource: "pods" } } };
    await done(server.api, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
    expect(once().mutating).toMatchObject({
      operation: "CREATE",
      kind: "authorization.k8s.io/v1/SelfSubjectAccessReview",
    });
  });
});

describe("admission of an update", () => {
  const APPLIED = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "here" }, data: { b: "apply" } };
  const writes: readonly (readonly [what: string, method: string, body: object, type: string])[] = [
    ["PUT", "PUT", { metadata: { name: "here" }, data: { b: "put" } }, "application/json"],
    ["JSON patch", "PATCH", [{ op: "add", path: "/data/b", value: "json" }], "application/json-patch+json"],
    ["merge patch", "PATCH", { data: { b: "merge" } }, "application/merge-patch+json"],
    ["strategic merge patch", "PATCH", { data: { b: "strategic" } }, "application/strategic-merge-patch+json"],
    ["apply", "PATCH", APPLIED, "application/apply-patch+yaml"],
  ];
  test.each(writes)("by %s shows the changed and the current object", async (_, method, body, type) => {
    const before = await done(server.api, "GET", HERE);
    const after = await done(
      server.api,
      method,
      `${HERE}?fieldManager=f&force=true`.replace(type.includes("apply") ? "" : "&force=true", ""),
      body,
      type,
    );
    const { mutating, validating } = once();
    for (const one of [mutating, validating]) {
      expect(one).toMatchObject({
        operation: "UPDATE",
        kind: "/v1/ConfigMap",
        resource: "/v1/configmaps/",
        at: "default/here",
        options: { kind: "UpdateOptions", ...META, fieldManager: "f" },
        object: { data: { b: after.at("data.b") } },
        oldObject: { data: before.at("data"), metadata: { resourceVersion: before.at("metadata.resourceVersion") } },
      });
    }
  });

  test("by an apply of a missing object is that of a create", async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" } };
    await done(server.api, "PATCH", `${CONFIG_MAPS}/applied?fieldManager=f`, body, "application/apply-patch+yaml");
    const { mutating, validating } = once();
    for (const one of [mutating, validating]) {
      expect(one).toMatchObject({ operation: "CREATE", at: "default/applied", oldObject: undefined });
      expect(one.options).toMatchObject({ kind: "CreateOptions", fieldManager: "f" });
    }
  });

  test("by a PUT that creates is that of a create", async () => {
    const lease = { metadata: { name: "new" }, spec: {} };
    await done(server.api, "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/new", lease);
    expect(once().validating).toMatchObject({ operation: "CREATE", at: "default/new", oldObject: undefined });
  });

  test("of a status shows the whole object", async () => {
    const patch = { status: { observedGeneration: 1 } };
    await done(server.api, "PATCH", `${DEPLOYMENTS}/web/status`, patch, "application/merge-patch+json");
    const { validating } = once();
    expect(validating).toMatchObject({ kind: "apps/v1/Deployment", resource: "apps/v1/deployments/status" });
    expect(validating.object).toMatchObject({ spec: { replicas: 1 }, status: { observedGeneration: 1 } });
  });

  test("of a scale shows Scale objects", async () => {
    const patch = { spec: { replicas: 4 } };
    await done(server.api, "PATCH", `${DEPLOYMENTS}/web/scale`, patch, "application/merge-patch+json");
    const { mutating, validating } = once();
    for (const one of [mutating, validating]) {
      expect(one).toMatchObject({
        operation: "UPDATE",
        kind: "autoscaling/v1/Scale",
        resource: "apps/v1/deployments/scale",
      });
      expect(one.object).toMatchObject({ spec: { replicas: 4 } });
      expect(one.oldObject).toMatchObject({ spec: { replicas: 1 } });
    }
  });

  test("of a namespace's finalizers has the subresource namespaces/finalize", async () => {
    await done(server.api, "POST", "/api/v1/namespaces", { metadata: { name: "final" } });
    seen.length = 0;
    const body = { metadata: { name: "final" }, spec: { finalizers: ["example.com/x"] } };
    await done(server.api, "PUT", "/api/v1/namespaces/final/finalize", body);
    expect(once().validating).toMatchObject({
      operation: "UPDATE",
      resource: "/v1/namespaces/finalize",
      object: { spec: { finalizers: ["example.com/x"] } },
      oldObject: { spec: { finalizers: ["kubernetes"] } },
    });
  });
});

describe("admission of a delete", () => {
  test("shows both phases the object that is deleted, and the options", async () => {
    await done(server.api, "POST", CONFIG_MAPS, { metadata: { name: "going" } });
    seen.length = 0;
    await done(server.api, "DELETE", `${CONFIG_MAPS}/going`, {
      gracePeriodSeconds: 3,
      propagationPolicy: "Background",
      dryRun: ["All"],
    });
    const { mutating, validating } = once();
    for (const one of [mutating, validating]) {
      expect(one).toMatchObject({
        operation: "DELETE",
        at: "default/going",
        object: undefined,
        oldObject: { metadata: { name: "going" } },
        dryRun: true,
        options: {
          kind: "DeleteOptions",
          ...META,
          gracePeriodSeconds: 3,
          propagationPolicy: "Background",
          dryRun: ["All"],
        },
      });
    }
  });

  test("of a collection shows each object, without a name in the attributes", async () => {
    for (const name of ["one", "two"]) {
      await done(server.api, "POST", CONFIG_MAPS, { metadata: { name, labels: { set: "gone" } } });
    }
    seen.length = 0;
    await done(server.api, "DELETE", `${CONFIG_MAPS}?labelSelector=set%3Dgone`);
    expect(seen.map(({ phase }) => phase)).toEqual([...PHASES, ...PHASES]);
    expect(seen.map(({ at }) => at)).toEqual(seen.map(() => "default/"));
    expect(new Set(seen.map(({ oldObject }) => oldObject?.metadata?.name))).toEqual(new Set(["one", "two"]));
  });
});

describe("admission of a create of a subresource", () => {
  beforeAll(async () => {
    await done(server.api, "POST", "/api/v1/namespaces/default/pods", pod("p"));
  });

  const pod = (name: string): object => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });
  const bound = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
  const evicted = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
  const rows: readonly (readonly [string, object, string])[] = [
    ["pods/p/binding", bound, "/v1/Binding"],
    ["pods/p/eviction", evicted, "policy/v1/Eviction"],
  ];
  test.each(rows)("%s shows the subresource's object, and not the write behind it", async (path, body, kind) => {
    await done(server.api, "POST", `/api/v1/namespaces/default/${path}?dryRun=All`, body);
    const { mutating, validating } = once();
    const [resource, , subresource] = path.split("/");
    for (const one of [mutating, validating]) {
      expect(one).toMatchObject({
        operation: "CREATE",
        kind,
        resource: `/v1/${resource}/${subresource}`,
        at: "default/p",
      });
    }
  });

  test("pods' bindings by the collection names the pod", async () => {
    await done(server.api, "POST", "/api/v1/namespaces/default/bindings", bound);
    expect(once().mutating).toMatchObject({ kind: "/v1/Binding", resource: "/v1/bindings/", at: "default/p" });
  });
});

describe("an admission plugin", () => {
  test("is not called for reads", async () => {
    await done(server.api, "GET", HERE);
    await done(server.api, "GET", CONFIG_MAPS);
    expect(seen).toEqual([]);
  });

  test("may change in the mutating phase what is stored, and validation refuses invalid changes", async () => {
    const labels: AdmissionPlugin = {
      name: "Labels",
      handles: (operation, { resource }) => operation === "CREATE" && resource === "configmaps",
      admit({ object: draft }) {
        if (draft?.metadata?.name === "bad") draft.metadata.labels = { "no/such/key": "x" };
        else if (draft?.metadata !== undefined) draft.metadata.labels = { owner: "plugin" };
      },
    };
    await using own = await admittingServer({ plugins: [{ plugin: labels }] });
    const made = await done(own.api, "POST", CONFIG_MAPS, { metadata: { name: "good" } });
    expect(made.at("metadata.labels.owner")).toBe("plugin");
    const bad = await call(own.api, "POST", CONFIG_MAPS, { metadata: { name: "bad" } });
    expect([bad.status, bad.at("reason"), bad.at("details.causes.0.field")]).toEqual([
      422,
      "Invalid",
      "metadata.labels",
    ]);
    expect(own.faults).toEqual([]);
  });

  test("cannot rename an object that an apply creates, nor move an object to another namespace", async () => {
    const renames: AdmissionPlugin = {
      name: "Renames",
      handles: (_, { resource }) => resource === "configmaps",
      admit({ object: draft, name }) {
        if (draft?.metadata === undefined) return;
        if (name === "moved") draft.metadata.namespace = "other";
        else draft.metadata.name = "renamed";
      },
    };
    await using own = await admittingServer({ plugins: [{ plugin: renames }] });
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" } };
    const type = "application/apply-patch+yaml";
    const applied = await call(own.api, "PATCH", `${CONFIG_MAPS}/applied?fieldManager=f`, body, { type });
    expect([applied.status, applied.at("message")]).toEqual([
      400,
      "the name of the object (renamed) does not match the name on the URL (applied)",
    ]);
    const moved = await call(own.api, "POST", CONFIG_MAPS, { metadata: { name: "moved" } });
    expect([moved.status, moved.at("reason")]).toEqual([400, "BadRequest"]);
  });

  test("changes nothing when it modifies the object while validating, or the current object", async () => {
    const changes: AdmissionPlugin = {
      name: "Changes",
      handles: (_, { resource }) => resource === "configmaps",
      admit({ oldObject }) {
        if (oldObject !== undefined) oldObject["data"] = { old: "changed" };
      },
      validate({ object: given, oldObject }) {
        if (given !== undefined) given["data"] = { changed: "yes" };
        if (oldObject !== undefined) oldObject["data"] = { old: "changed" };
      },
    };
    await using own = await admittingServer({ plugins: [{ plugin: changes }] });
    const made = await done(own.api, "POST", CONFIG_MAPS, { metadata: { name: "c" }, data: { a: "1" } });
    expect(made.at("data")).toEqual({ a: "1" });
    const merge = "application/merge-patch+json";
    const patched = await done(own.api, "PATCH", `${CONFIG_MAPS}/c`, { data: { b: "2" } }, merge);
    expect(patched.at("data")).toEqual({ a: "1", b: "2" });
  });

  test("changes nothing in the server when it modifies objects that it has read", async () => {
    const reads: AdmissionPlugin = {
      name: "Reads",
      handles: (operation, { resource }) => operation === "CREATE" && resource === "secrets",
      async admit(_, { objects }) {
        for (const reader of [objects, objects.cached]) {
          const found = await reader.get("", "configmaps", "default", "c");
          const [listed] = await reader.list("", "configmaps", "default");
          expect(found?.metadata?.name).toBe("c");
          for (const one of [found, listed]) if (one !== undefined) one["data"] = { a: "changed" };
        }
        expect(await objects.cached.has("", "configmaps", "default", "c")).toBe(true);
        expect(await objects.get("", "configmaps", "default", "none")).toBeUndefined();
      },
    };
    await using own = await admittingServer({ plugins: [{ plugin: reads }] });
    await done(own.api, "POST", CONFIG_MAPS, { metadata: { name: "c" }, data: { a: "1" } });
    await done(own.api, "POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" } });
    expect((await done(own.api, "GET", `${CONFIG_MAPS}/c`)).at("data")).toEqual({ a: "1" });
  });

  test("A-ADM-06: can add warnings for the client, and audit annotations, of which the first value for a key stays", async () => {
    const refusals: string[] = [];
    const notes: AdmissionPlugin = {
      name: "Notes",
      handles: (_, { resource }) => resource === "configmaps",
      admit(attributes) {
        attributes.addWarning("think twice");
        attributes.addAnnotation("notes.example.com/level", "low");
        attributes.addAnnotation("notes.example.com/level", "low");
        for (const [key, value] of [
          ["notes.example.com/level", "high"],
          ["level", "low"],
        ] as const) {
          try {
            attributes.addAnnotation(key, value);
          } catch (error) {
            refusals.push((error as Error).message);
          }
        }
      },
    };
    await using own = await admittingServer({ plugins: [{ plugin: notes }] });
    const made = await done(own.api, "POST", CONFIG_MAPS, { metadata: { name: "c" } });
    expect(made.headers["warning"]).toEqual(['299 - "think twice"']);
    expect(refusals).toEqual([
      'annotation "notes.example.com/level" is "low" already and cannot become "high"',
      'annotation key "level" is not of the form "DNS subdomain/name", as "levels.example.com/pod" is',
    ]);
    const [request] = own.requests;
    expect([...(request?.annotations.entries() ?? [])]).toEqual([["notes.example.com/level", "low"]]);
  });

  test("can ask for a second run of all mutating plugins", async () => {
    const rounds: string[] = [];
    const round = (name: string, asks: boolean): AdmissionPlugin => ({
      name,
      handles: (_, { resource }) => resource === "configmaps",
      admit({ reinvocation }) {
        rounds.push(`${name} ${reinvocation.active ? "again" : "first"}`);
        if (asks) reinvocation.request();
      },
      validate: () => {
        rounds.push(`${name} validates`);
      },
    });
    await using own = await admittingServer({ plugins: [{ plugin: round("A", false) }, { plugin: round("B", true) }] });
    await done(own.api, "POST", CONFIG_MAPS, { metadata: { name: "c" } });
    expect(rounds).toEqual(["A first", "B first", "A again", "B again", "A validates", "B validates"]);
  });
});
