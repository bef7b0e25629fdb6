import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import type { Scale } from "../../../src/api/types/autoscaling/v1.js";
import type { TokenRequest } from "../../../src/api/types/authentication/v1.js";
import type { ConfigMap, Deployment, Pod } from "../../../src/api/types/index.js";
import {
  type ApplyConfiguration,
  kubernetesClient,
  type KubernetesClient,
  type KubeObject,
  quantityAsNumber,
  type Status,
  type Stored,
} from "../../../src/client/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

// What compiles, what must not, and that the server says the same. A line behind "@ts-expect-error" is compiled and never runs.

let cluster: Cluster;
let client: KubernetesClient;

beforeAll(async () => {
  cluster = await startCluster({ ...quietCluster, port: false });
  client = kubernetesClient(cluster);
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

const deployments = () => client.of("apps/v1", "Deployment").namespace("default");
const pods = () => client.of("v1", "Pod").namespace("default");
const web = (name: string): Deployment => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "web", image: "nginx", resources: { limits: { cpu: 2, memory: "1Gi" } } }] },
    },
  },
});
/** Keeps a call that must not compile from running. */
function never(call: () => unknown): void {
  void call;
}

describe("the TypeScript type of apply()", () => {
  test("accepts any part of an object with its name, without apiVersion and kind", async () => {
    const applied = await deployments().apply(
      {
        metadata: { name: "applied", labels: { tier: "front" } },
        spec: {
          selector: { matchLabels: { app: "applied" } },
          template: {
            metadata: { labels: { app: "applied" } },
            spec: { containers: [{ name: "web", image: "nginx" }] },
          },
        },
      },
      { fieldManager: "types" },
    );
    expect(applied).toMatchObject({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "applied" } });
    const more: ApplyConfiguration<Deployment> = { metadata: { name: "applied" }, spec: { replicas: 2 } };
    const both = await deployments().apply(more, { fieldManager: "scaler", force: true });
    expect(both.spec?.replicas).toBe(2);
  });

  test("refuses a misspelled field, a wrong value and an object without a name", () => {
    // @ts-expect-error replica is no field
    never(() => deployments().apply({ metadata: { name: "a" }, spec: { replica: 1 } }, { fieldManager: "a" }));
    // @ts-expect-error replicas is a number
    never(() => deployments().apply({ metadata: { name: "a" }, spec: { replicas: "1" } }, { fieldManager: "a" }));
    // @ts-expect-error which one
    never(() => deployments().apply({ spec: { replicas: 1 } }, { fieldManager: "a" }));
    // @ts-expect-error whose fields
    never(() => deployments().apply({ metadata: { name: "a" } }, {}));
    // @ts-expect-error another kind's
    never(() => pods().apply({ kind: "Deployment", metadata: { name: "a" } }, { fieldManager: "a" }));
  });

  test("accepts anything for a kind without a type", async () => {
    const untyped: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "untyped" },
      data: { a: "1" },
    };
    const configMaps = (await client.resourceFor(untyped)).namespace("default");
    expect((await configMaps.apply(untyped, { fieldManager: "types" }))["data"]).toEqual({ a: "1" });
    const found = client.of(`${untyped.apiVersion}`, `${untyped.kind}`).namespace("default");
    const applied = await found.apply({ metadata: { name: "untyped" }, data: { b: "2" } }, { fieldManager: "other" });
    expect(applied["data"]).toEqual({ a: "1", b: "2" });
  });
});

describe("the TypeScript type of patch()", () => {
  test("accepts for a merge patch a part of an object, with null for a removed field", async () => {
    await deployments().create(web("merged"));
    const merged = await deployments().patch(
      "merged",
      { metadata: { labels: { tier: "front", none: null } }, spec: { paused: true, replicas: undefined } },
      { type: "merge" },
    );
    expect([merged.metadata.labels, merged.spec?.paused, merged.spec?.replicas]).toEqual([{ tier: "front" }, true, 1]);
    const bare = await deployments().patch("merged", { metadata: { labels: null } }, { type: "merge" });
    expect(bare.metadata.labels).toBeUndefined();
  });

  test("accepts for a strategic merge patch list items by their merge key, and directives", async () => {
    await deployments().create(web("strategic"));
    const side = { name: "side", image: "busybox" };
    const two = await deployments().patch(
      "strategic",
      { spec: { template: { spec: { containers: [side], $retainKeys: ["containers"] } } } },
      { type: "strategic" },
    );
    expect(two.spec?.template.spec?.containers.map(({ name }) => name)).toEqual(["side", "web"]);
    const one = await deployments().patch(
      "strategic",
      {
        spec: {
          template: {
            spec: {
              containers: [{ name: "side", $patch: "delete" }],
              "$setElementOrder/containers": [{ name: "web" }],
            },
          },
        },
      },
      { type: "strategic" },
    );
    expect(one.spec?.template.spec?.containers.map(({ name }) => name)).toEqual(["web"]);
    const finalizers = await deployments().patch(
      "strategic",
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["none"] } },
      { type: "strategic" },
    );
    expect(finalizers.metadata.finalizers).toBeUndefined();
  });

  test("accepts for a JSON patch operations, and for any patch bytes", async () => {
    await deployments().create(web("operations"));
    const changed = await deployments().patch(
      "operations",
      [
        { op: "test", path: "/spec/replicas", value: 1 },
        { op: "replace", path: "/spec/replicas", value: 3 },
        { op: "copy", from: "/spec/template/metadata/labels", path: "/metadata/labels" },
      ],
      { type: "json" },
    );
    expect([changed.spec?.replicas, changed.metadata.labels]).toEqual([3, { app: "operations" }]);
    const bytes = new TextEncoder().encode('{"spec":{"replicas":4}}');
    expect((await deployments().patch("operations", bytes, { type: "merge" })).spec?.replicas).toBe(4);
  });

  test("refuses what the server would refuse or drop", () => {
    // @ts-expect-error replica is no field
    never(() => deployments().patch("a", { spec: { replica: 1 } }, { type: "merge" }));
    // @ts-expect-error replicas is a number
    never(() => deployments().patch("a", { spec: { replicas: "1" } }, { type: "strategic" }));
    // @ts-expect-error a merge patch replaces a list, and a container has an image of its own or the whole is invalid
    never(() => pods().patch("a", { spec: { containers: [{ image: "nginx" }] } }, { type: "merge" }));
    // @ts-expect-error only a strategic patch has directives
    never(() => pods().patch("a", { spec: { $patch: "replace" } }, { type: "merge" }));
    // @ts-expect-error no such directive
    never(() => pods().patch("a", { spec: { $patch: "remove" } }, { type: "strategic" }));
    // @ts-expect-error a JSON patch is a list
    never(() => deployments().patch("a", { spec: { replicas: 1 } }, { type: "json" }));
    // @ts-expect-error an operation has a value
    never(() => deployments().patch("a", [{ op: "add", path: "/spec/replicas" }], { type: "json" }));
    // @ts-expect-error no such type
    never(() => deployments().patch("a", {}, { type: "merged" }));
    // @ts-expect-error phase is one of five
    never(() => pods().patchStatus("a", { status: { phase: "Runing" } }, { type: "merge" }));
  });
});

describe("the TypeScript types of subresources", () => {
  test("read and write a Scale for scale", async () => {
    await deployments().create(web("scaled"));
    const scale = await deployments().get("scaled", { subresource: "scale" });
    expectTypeOf(scale).toEqualTypeOf<Stored<Scale>>();
    expect([scale.kind, scale.spec?.replicas, scale.status?.selector]).toEqual(["Scale", 1, "app=scaled"]);
    const written = await deployments().update({ ...scale, spec: { replicas: 2 } }, { subresource: "scale" });
    expect(written.spec?.replicas).toBe(2);
    const patched = await deployments().patch(
      "scaled",
      { spec: { replicas: 3 } },
      { subresource: "scale", type: "merge" },
    );
    expectTypeOf(patched).toEqualTypeOf<Stored<Scale>>();
    expect(patched.spec?.replicas).toBe(3);
    // @ts-expect-error a Scale has no template
    never(() => deployments().patch("a", { spec: { template: {} } }, { subresource: "scale", type: "merge" }));
    // @ts-expect-error a Deployment is no Scale
    never(() => deployments().update(web("a"), { subresource: "scale" }));
  });

  test("have own kinds for token, eviction and binding, and the object's kind for others", async () => {
    const accounts = client.of("v1", "ServiceAccount").namespace("default");
    await accounts.create({ metadata: { name: "robot" } });
    const request: TokenRequest = { metadata: { name: "robot" }, spec: { audiences: [], expirationSeconds: 600 } };
    const answer = await accounts.create(request, { subresource: "token" });
    expect(answer.status?.token).toMatch(/^ey/);

    await pods().create({ metadata: { name: "evicted" }, spec: { containers: [{ name: "a", image: "a" }] } });
    const evicted = await pods().create({ metadata: { name: "evicted" } }, { subresource: "eviction" });
    expectTypeOf(evicted).toEqualTypeOf<Status>();
    expect(evicted.status).toBe("Success");

    const status = () => deployments().get("scaled", { subresource: "status" });
    expectTypeOf(status).returns.resolves.toEqualTypeOf<Stored<Deployment>>();
    // @ts-expect-error what is posted to token is a TokenRequest
    never(() => accounts.create({ metadata: { name: "a" }, secrets: [] }, { subresource: "token" }));
  });
});

describe("the TypeScript type of an object from a server", () => {
  test("has apiVersion, kind, metadata, name and uid", async () => {
    const created = await pods().create({
      metadata: { name: "stored" },
      spec: { containers: [{ name: "a", image: "a" }] },
    });
    expectTypeOf(created.metadata.name).toEqualTypeOf<string>();
    expectTypeOf(created.metadata.uid).toEqualTypeOf<string>();
    expectTypeOf(created).toExtend<Pod>();
    const { items } = await pods().list();
    for await (const one of pods().listAll()) expect(one.metadata.uid).not.toBe("");
    expect(items.map(({ metadata }) => metadata.name)).toContain("stored");
    expect(created.metadata.uid).toBe(items.find(({ metadata }) => metadata.name === "stored")?.metadata.uid);
  });

  test("has no metadata for a review, while objects that a program makes need not be complete", async () => {
    const review = await client
      .of("authorization.k8s.io/v1", "SelfSubjectAccessReview")
      .create({ spec: { resourceAttributes: { verb: "get", resource: "pods" } } });
    expect(review.status?.allowed).toBe(true);
    // @ts-expect-error a review is not stored
    never(() => review.metadata.uid);
    const draft: ConfigMap = { metadata: { generateName: "draft-" } };
    // @ts-expect-error only a server gives a uid
    never(() => draft.metadata.uid.length);
  });

  test("includes bookmarks only where the caller asks for them, with nothing but a resourceVersion", async () => {
    const seen: string[] = [];
    for await (const event of deployments().watch({ sendInitialEvents: true })) {
      if (event.type === "BOOKMARK") {
        // @ts-expect-error a bookmark has no spec
        never(() => event.object.spec);
        seen.push(event.object.metadata.resourceVersion);
        break;
      }
      expectTypeOf(event.object).toEqualTypeOf<Stored<Deployment>>();
    }
    expect(seen).toHaveLength(1);
    const plain = () => deployments().watch();
    expectTypeOf(plain().next).returns.resolves.toExtend<IteratorResult<{ type: "ADDED" | "MODIFIED" | "DELETED" }>>();
  });
});

describe("the TypeScript type of a quantity", () => {
  test("accepts numbers and texts for a write and has numbers for a read", async () => {
    const { spec } = await deployments().create(web("sized"));
    const limits = spec?.template.spec?.containers[0]?.resources?.limits ?? {};
    expect(limits).toEqual({ cpu: "2", memory: "1Gi" });
    expect(Object.values(limits).map(quantityAsNumber)).toEqual([2, 2 ** 30]);
    expect(["250m", "1e3", 0.5, "-1Ki", "100n"].map(quantityAsNumber)).toEqual([0.25, 1000, 0.5, -1024, 1e-7]);
    expect(() => quantityAsNumber("1 Gi")).toThrow("quantities must match the regular expression");
    // @ts-expect-error a quantity is no flag
    const wrong: Deployment["spec"] = { template: { spec: { overhead: { cpu: true } } } };
    expect(wrong).toBeDefined();
  });
});
