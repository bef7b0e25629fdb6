import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type Answer, call, type CallOptions } from "../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../helpers/etcd.js";
import { eventually } from "../helpers/eventually.js";
import { kubernetesMissing, type RealApiServer, startKubernetes } from "../helpers/kubernetes-1.20.js";

// kubets in memory and a kube-apiserver 1.20 on an etcd are sent the same large objects.
const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined)
  process.stdout.write(`the limit of objects beside kube-apiserver 1.20 is skipped: ${missing}\n`);

const WIDES = "/apis/example.com/v1/namespaces/default/wides";
const MAPS = "/api/v1/namespaces/default/configmaps";
const ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };

type Send = (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<Answer>;

describe.skipIf(missing !== undefined)("the size limit of objects of kubets and of kube-apiserver 1.20", () => {
  let etcd: EtcdServer;
  let real: RealApiServer;
  let cluster: Cluster;
  let senders: readonly Send[];

  beforeAll(async () => {
    etcd = await startEtcd();
    real = await startKubernetes({ etcd: etcd.endpoint });
    cluster = await startCluster({ port: false, controllers: false });
    const api = cluster.transport();
    senders = [real.call, (...given) => call(api, ...given)];
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const names = { plural: "wides", singular: "wide", kind: "Wide", listKind: "WideList" };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "wides.example.com" },
      spec: { group: "example.com", scope: "Namespaced", names, versions },
    };
    for (const send of senders) {
      await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
      // 1.20 answers reads first, and writes once it has learnt the schema.
      await eventually(async () => expect((await send("POST", WIDES, wide("first", 1))).status).toBe(201));
    }
  });
  afterAll(async () => {
    await real?.stop();
    await etcd?.dispose();
    await cluster?.close();
  });

  /** What both say, which is the same. */
  async function answerOf(run: (send: Send) => Promise<Answer>): Promise<readonly unknown[]> {
    const [theirs, ours] = await Promise.all(
      senders.map(async (send) => {
        const answer = await run(send);
        return [answer.status, answer.at("message"), countOf(answer.at("metadata.managedFields"))];
      }),
    );
    expect(ours).toEqual(theirs);
    return theirs ?? [];
  }

  const countOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  const wide = (name: string, length: number) => ({
    apiVersion: "example.com/v1",
    kind: "Wide",
    metadata: { name },
    text: `<>&"${"x".repeat(length)}`,
  });
  const map = (name: string, count: number) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: Object.fromEntries(Array.from({ length: count }, (_, at) => [`${"a".repeat(240)}${at}`, "x"])),
  });

  test("is the same for custom resources, up to a few bytes", async () => {
    const tooLarge = "etcdserver: request is too large";
    const create = (name: string, length: number) => answerOf((send) => send("POST", WIDES, wide(name, length)));
    expect(await create("a", 1_572_300)).toEqual([201, undefined, 1]);
    expect(await create("b", 1_572_450)).toEqual([201, undefined, 0]);
    expect(await create("c", 1_572_530)).toEqual([500, tooLarge, 0]);
    expect(await create("d", 2_200_000)).toEqual([500, expect.stringContaining("larger than max"), 0]);
  });

  test("is the same for built-in objects, except for fields that differ between the versions", async () => {
    const create = (name: string, length: number) => {
      const resourceNames = [...Array.from({ length: 2000 }, (_, at) => `name-${at}`), "x".repeat(length)];
      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames }];
      const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name }, rules };
      return answerOf((send) => send("POST", ROLES, role));
    };
    expect((await create("a", 1_551_600))[0]).toBe(201);
    expect((await create("b", 1_551_800))[0]).toBe(500);
  });

  test("B-CRE-01: applies to creates, updates and patches after managedFields were removed, and to applies directly", async () => {
    expect(await answerOf((send) => send("POST", MAPS, map("created", 3400)))).toEqual([201, undefined, 0]);
    const updated = async (send: Send) => {
      await send("POST", MAPS, map("updated", 1));
      return send("PUT", `${MAPS}/updated`, map("updated", 3400));
    };
    expect(await answerOf(updated)).toEqual([200, undefined, 0]);
    const patched = async (send: Send) => {
      await send("POST", MAPS, map("patched", 1));
      return send("PATCH", `${MAPS}/patched`, map("patched", 3400), MERGE);
    };
    expect(await answerOf(patched)).toEqual([200, undefined, 0]);
    const applied = await answerOf((send) =>
      send("PATCH", `${MAPS}/applied?fieldManager=me`, map("applied", 3400), APPLY),
    );
    expect(applied).toEqual([500, "etcdserver: request is too large", 0]);
  });
});
