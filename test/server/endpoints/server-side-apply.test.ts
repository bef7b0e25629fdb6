import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { call as callFor, type CallOptions } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const AUTOSCALERS = "autoscaling/v1";

async function call(method: string, path: string, body?: unknown, options: CallOptions = {}) {
  const { status, text } = await callFor(api, method, path, body, options);
  return { status, body: JSON.parse(text) as unknown };
}

const apply = (path: string, body: unknown) => call("PATCH", path, body, { type: "application/apply-patch+yaml" });
const merge = (path: string, body: unknown) => call("PATCH", path, body, { type: "application/merge-patch+json" });

const map = (name: string, data: Record<string, unknown>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

const deployment = (name: string, replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } },
  },
});

/** "<operation> <manager> <fieldsV1>" of each entry. */
const owners = (body: unknown) =>
  ((body as KubeObject).metadata?.managedFields ?? []).map(
    ({ operation, manager, subresource, fieldsV1 }) =>
      `${operation as string} ${manager as string}${subresource === undefined ? "" : `/${subresource as string}`} ${JSON.stringify(fieldsV1)}`,
  );

const versionOf = (body: unknown) => (body as KubeObject).metadata?.resourceVersion;

describe("server-side apply", () => {
  test("creates a missing object, and changes an existing one", async () => {
    const created = await apply(`${MAPS}/made?fieldManager=one`, map("made", { a: "1" }));
    expect(created.status).toBe(201);
    expect(owners(created.body)).toEqual(['Apply one {"f:data":{"f:a":{}}}']);
    const changed = await apply(`${MAPS}/made?fieldManager=one`, map("made", { b: "1" }));
    expect(changed.status).toBe(200);
    expect((changed.body as { data: unknown }).data).toEqual({ b: "1" });
  });

  test("writes nothing when repeated", async () => {
    const first = await apply(`${MAPS}/same?fieldManager=one`, map("same", { a: "1" }));
    const again = await apply(`${MAPS}/same?fieldManager=one`, map("same", { a: "1" }));
    expect(again.body).toEqual(first.body);
  });

  test("writes nothing for a quantity in another notation", async () => {
    const limits = (cpu: string) => {
      const object = deployment("quantity", 1);
      object.spec.template.spec.containers = [
        { name: "c", image: "nginx:1", resources: { limits: { cpu } } } as unknown as { name: string; image: string },
      ];
      return object;
    };
    const first = await apply(`${DEPLOYMENTS}/quantity?fieldManager=one`, limits("1"));
    const again = await apply(`${DEPLOYMENTS}/quantity?fieldManager=one`, limits("1000m"));
    expect(again.status).toBe(200);
    expect(versionOf(again.body)).toBe(versionOf(first.body));
  });

  test("writes nothing in a dry run", async () => {
    const result = await apply(`${MAPS}/dry?fieldManager=one&dryRun=All`, map("dry", { a: "1" }));
    expect(result.status).toBe(201);
    expect((await call("GET", `${MAPS}/dry`)).status).toBe(404);
  });

  test("conflicts, until it is forced", async () => {
    await apply(`${MAPS}/fight?fieldManager=one`, map("fight", { a: "1" }));
    const refused = await apply(`${MAPS}/fight?fieldManager=two`, map("fight", { a: "2" }));
    expect(refused.body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      reason: "Conflict",
      details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" }] },
      code: 409,
    });
    const forced = await apply(`${MAPS}/fight?fieldManager=two&force=true`, map("fight", { a: "2" }));
    expect(owners(forced.body)).toEqual(['Apply two {"f:data":{"f:a":{}}}']);
  });

  test("accepts YAML", async () => {
    const { status, body } = await apply(
      `${MAPS}/yaml?fieldManager=one`,
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: x\n",
    );
    expect([status, (body as { data: unknown }).data]).toEqual([201, { a: "x" }]);
  });

  test("of a status does not create the object", async () => {
    const { status } = await apply(`${DEPLOYMENTS}/nope/status?fieldManager=one`, deployment("nope", 1));
    expect(status).toBe(404);
  });

  test("of a status owns only the status", async () => {
    await call("POST", DEPLOYMENTS, deployment("state", 1));
    const { body } = await apply(`${DEPLOYMENTS}/state/status?fieldManager=one`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "state" },
      status: { replicas: 3 },
    });
    expect(owners(body)).toContain('Apply one/status {"f:status":{"f:replicas":{}}}');
  });

  test.each([
    [
      "no manager",
      `${MAPS}/x`,
      map("x", {}),
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      "another kind",
      `${MAPS}/x?fieldManager=m`,
      { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } },
      400,
      "invalid object type: /v1, Kind=Secret",
    ],
    [
      "another name",
      `${MAPS}/x?fieldManager=m`,
      map("y", {}),
      400,
      "the name of the object (y) does not match the name on the URL (x)",
    ],
    [
      "a field nobody knows",
      `${MAPS}/x?fieldManager=m`,
      { ...map("x", {}), foo: 1 },
      400,
      "failed to create typed patch object (/x; /v1, Kind=ConfigMap): .foo: field not declared in schema",
    ],
    [
      "managed fields",
      `${MAPS}/x?fieldManager=m`,
      { ...map("x", {}), metadata: { name: "x", managedFields: [{}] } },
      400,
      "metadata.managedFields must be nil",
    ],
    [
      "a list",
      `${MAPS}/x?fieldManager=m`,
      [],
      400,
      "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    [
      "a uid of an object that is not there",
      `${MAPS}/x?fieldManager=m`,
      { ...map("x", {}), metadata: { name: "x", uid: "u" } },
      409,
      'Operation cannot be fulfilled on configmaps "x": uid mismatch: the provided object specified uid u, and no existing object was found',
    ],
  ])("is refused with %s", async (_, path, body, status, message) => {
    const result = await apply(path, body);
    expect([result.status, (result.body as { message: string }).message]).toEqual([status, message]);
  });

  test("is the only write that accepts force", async () => {
    const { status, body } = await merge(`${MAPS}/x?force=true`, {});
    expect([status, (body as { message: string }).message]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ]);
  });
});

describe("managedFields after other writes", () => {
  test("name for a create its fieldManager or its User-Agent", async () => {
    const named = await call("POST", `${MAPS}?fieldManager=me`, map("named", { a: "1" }));
    expect(owners(named.body)).toEqual(['Update me {"f:data":{".":{},"f:a":{}}}']);
    const agent = { headers: { "user-agent": "tool/1.0 (x)" } };
    const unnamed = await call("POST", MAPS, map("unnamed", { a: "1" }), agent);
    expect(owners(unnamed.body)).toEqual(['Update tool {"f:data":{".":{},"f:a":{}}}']);
    const foreign = { headers: { "user-agent": "größe/1.0" } };
    const other = await call("POST", MAPS, map("foreign", { a: "1" }), foreign);
    expect(owners(other.body)).toEqual(['Update größe {"f:data":{".":{},"f:a":{}}}']);
  });

  test("do not change by an update without changes, whoever sends it", async () => {
    const { body } = await call("POST", `${MAPS}?fieldManager=me`, map("still", { a: "1" }));
    const again = await call("PUT", `${MAPS}/still?fieldManager=you`, body);
    expect(again.body).toEqual(body);
    const patched = await merge(`${MAPS}/still?fieldManager=you`, { data: { a: "1" } });
    expect(patched.body).toEqual(body);
  });

  test("stay when a client leaves them out", async () => {
    await call("POST", `${MAPS}?fieldManager=me`, map("kept", { a: "1" }));
    const { body } = await call("PUT", `${MAPS}/kept?fieldManager=you`, map("kept", { a: "1", b: "1" }));
    expect(owners(body)).toEqual(['Update me {"f:data":{".":{},"f:a":{}}}', 'Update you {"f:data":{"f:b":{}}}']);
  });

  test.each([
    ["an empty list", []],
    ["a list of one empty entry", [{}]],
  ])("are reset by %s", async (name, managedFields) => {
    const id = name.replaceAll(" ", "-");
    await call("POST", `${MAPS}?fieldManager=me`, map(id, { a: "1" }));
    const { body } = await merge(`${MAPS}/${id}`, { metadata: { managedFields } });
    expect((body as KubeObject).metadata?.managedFields).toBeUndefined();
  });

  test("give a scale request the replicas", async () => {
    await apply(`${DEPLOYMENTS}/scaled?fieldManager=one`, deployment("scaled", 1));
    const scaled = await merge(`${DEPLOYMENTS}/scaled/scale?fieldManager=two`, { spec: { replicas: 4 } });
    expect((scaled.body as KubeObject).apiVersion).toBe(AUTOSCALERS);
    const { body } = await call("GET", `${DEPLOYMENTS}/scaled`);
    expect(owners(body)[1]).toBe('Update two/scale {"f:spec":{"f:replicas":{}}}');
    const refused = await apply(`${DEPLOYMENTS}/scaled?fieldManager=one`, deployment("scaled", 1));
    expect((refused.body as { message: string }).message).toBe(
      'Apply failed with 1 conflict: conflict with "two" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  test("give an apply of a scale the replicas", async () => {
    await call("POST", `${DEPLOYMENTS}?fieldManager=one`, deployment("applied-scale", 1));
    const { status } = await apply(`${DEPLOYMENTS}/applied-scale/scale?fieldManager=two&force=true`, {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "applied-scale", namespace: "default" },
      spec: { replicas: 2 },
    });
    expect(status).toBe(200);
    const { body } = await call("GET", `${DEPLOYMENTS}/applied-scale`);
    expect(owners(body)[0]).toBe('Apply two/scale {"f:spec":{"f:replicas":{}}}');
    expect((body as { spec: { replicas: number } }).spec.replicas).toBe(2);
  });

  test("are shared by all versions of a kind", async () => {
    const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    await call("POST", `${path("v1")}?fieldManager=old`, {
      metadata: { name: "h" },
      spec: { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 50 },
    });
    const refused = await apply(`${path("v2")}/h?fieldManager=new`, {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: { maxReplicas: 5, scaleTargetRef },
    });
    expect((refused.body as { message: string }).message).toBe(
      'Apply failed with 1 conflict: conflict with "old" using autoscaling/v1: .spec.maxReplicas',
    );
  });
});

test("two writers and a server-side applier on one object lose no change, and write only changes", async () => {
  const ROUNDS = 150;
  const path = `${MAPS}/busy`;
  const { body: first } = await call("POST", `${MAPS}?fieldManager=first`, map("busy", { start: "1" }));
  const versions = new Set([versionOf(first)]);
  const note = ({ status, body }: { status: number; body: unknown }) => {
    if (status < 300) versions.add(versionOf(body));
    return status;
  };
  const patcher = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      expect(note(await merge(`${path}?fieldManager=patcher`, { data: { patched: `${round}` } }))).toBe(200);
    }
  };
  const updater = async () => {
    for (let round = 0; round < ROUNDS; ) {
      const { body } = await call("GET", path);
      const object = body as { data: Record<string, string> };
      object.data["updated"] = `${round}`;
      const status = note(await call("PUT", `${path}?fieldManager=updater`, object));
      if (status === 200) round++;
      else expect(status).toBe(409);
    }
  };
  const applier = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      // Every other round applies what is there already.
      const data = { applied: `${Math.floor(round / 2)}` };
      expect(note(await apply(`${path}?fieldManager=applier`, map("busy", data)))).toBe(200);
    }
  };
  await Promise.all([patcher(), updater(), applier()]);
  const { body } = await call("GET", path);
  const last = `${ROUNDS - 1}`;
  expect((body as { data: unknown }).data).toEqual({
    start: "1",
    patched: last,
    updated: last,
    applied: `${Math.floor((ROUNDS - 1) / 2)}`,
  });
  expect(owners(body).toSorted()).toEqual([
    'Apply applier {"f:data":{"f:applied":{}}}',
    'Update first {"f:data":{".":{},"f:start":{}}}',
    'Update patcher {"f:data":{"f:patched":{}}}',
    'Update updater {"f:data":{"f:updated":{}}}',
  ]);
  // A version for the create, for every patch and update, and for every other apply.
  expect(versions.size).toBe(1 + ROUNDS + ROUNDS + ROUNDS / 2);
});
