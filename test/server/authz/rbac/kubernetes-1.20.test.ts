import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import type { AuthorizerAttributes } from "../../../../src/server/authz/authorizer.js";
import { call } from "../../../helpers/api-caller.js";
import { asUser } from "../../../helpers/as-user.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../../helpers/etcd.js";
import { kubernetesMissing, type RealApiServer, startKubernetes } from "../../../helpers/kubernetes-1.20.js";
import { below, NAMESPACES, randomObject, randomRequest, randomUser } from "./random-policy.js";

const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined) process.stdout.write(`RBAC beside kube-apiserver 1.20 is skipped: ${missing}\n`);

const API = "/apis/rbac.authorization.k8s.io/v1";
const REVIEWS = "/apis/authorization.k8s.io/v1";
const SETS = 10;
const REQUESTS = 200;

const pathOf = ({ kind = "", metadata }: KubeObject): string => {
  const resource = `${kind.toLowerCase()}s`;
  return metadata?.namespace === undefined
    ? `${API}/${resource}`
    : `${API}/namespaces/${metadata.namespace}/${resource}`;
};

function reviewOf({ user, ...request }: AuthorizerAttributes): object {
  const { verb, path, apiGroup: group, resource, subresource, namespace, name, isResourceRequest } = request;
  const asked = isResourceRequest
    ? { resourceAttributes: { verb, group, resource, subresource, namespace, name } }
    : { nonResourceAttributes: { verb, path } };
  return { spec: { user: user.name, groups: user.groups, ...asked } };
}

/** The rules of a SelfSubjectRulesReview, in an order that does not depend on the server. */
async function rightsOf(server: Transport, user: string, namespace: string): Promise<readonly string[]> {
  const answer = await asUser(server, user)("POST", `${REVIEWS}/selfsubjectrulesreviews`, { spec: { namespace } });
  expect(answer.status, answer.text).toBe(201);
  const { resourceRules, nonResourceRules } = answer.at("status") as Record<string, object[]>;
  const texts = [...(resourceRules ?? []), ...(nonResourceRules ?? [])].map((rule) => JSON.stringify(sorted(rule)));
  // Roles of the server itself differ by version.
  return texts.filter((text) => !/selfsubject|openapi|version/.test(text)).sort();
}

const sorted = (rule: object): object => Object.fromEntries(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));

describe.skipIf(missing !== undefined)("RBAC in kubets and in kube-apiserver 1.20", () => {
  let etcd: EtcdServer;
  let real: RealApiServer;
  let cluster: Cluster;
  let servers: readonly Transport[];

  beforeAll(async () => {
    etcd = await startEtcd();
    real = await startKubernetes({ etcd: etcd.endpoint });
    cluster = await startCluster({ port: false, controllers: false });
    servers = [real.transport, cluster.transport()];
    for (const server of servers) {
      for (const name of NAMESPACES) await call(server, "POST", "/api/v1/namespaces", { metadata: { name } });
    }
  });

  afterAll(async () => {
    await cluster?.close();
    await real?.stop();
    await etcd?.stop();
  });

  /** The authorizer of kube-apiserver reads informers: it has seen all earlier writes when it has seen this one. */
  async function settled(set: number): Promise<void> {
    const user = `marker-${set}`;
    const header = { metadata: { name: `judge-marker-${set}` } };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
    for (const place of ["clusterrolebindings", ...NAMESPACES.map((name) => `namespaces/${name}/rolebindings`)]) {
      await real.call("POST", `${API}/${place}`, { ...header, roleRef, subjects });
    }
    const spec = { user, resourceAttributes: { verb: "get", resource: "pods" } };
    while ((await real.call("POST", `${REVIEWS}/subjectaccessreviews`, { spec })).at("status.allowed") !== true) {
      await setTimeout(20);
    }
    // Its four informers follow the store one by one.
    await setTimeout(500);
  }

  const first = Math.trunc(Date.now() / 1000);

  test.each(Array.from({ length: SETS }, (_, set) => set))(
    `set ${first} + %s: ${REQUESTS} requests have the same decisions`,
    async (set) => {
      const random = below(first + set);
      const objects = new Map<string, KubeObject>();
      for (let count = 0; count < 30; count++) {
        const object = randomObject(random);
        objects.set(`${pathOf(object)}/${object.metadata?.name}`, object);
      }
      for (const server of servers) {
        for (const object of objects.values()) {
          const answer = await call(server, "POST", pathOf(object), object);
          expect(answer.status, answer.text).toBe(201);
        }
      }
      await settled(set);
      for (let count = 0; count < REQUESTS; count++) {
        const review = reviewOf(randomRequest(random));
        const [theirs, ours] = await Promise.all(
          servers.map((server) => call(server, "POST", `${REVIEWS}/subjectaccessreviews`, review)),
        );
        expect([ours?.status, ours?.at("status.allowed")], JSON.stringify(review)).toEqual([
          theirs?.status,
          theirs?.at("status.allowed"),
        ]);
      }
      for (const namespace of NAMESPACES) {
        const { name, groups } = randomUser(random);
        // A client sends one value of a header, and kube-apiserver reads it as one group.
        const user = [name, ...groups.slice(0, 1)].join(",");
        const [theirs, ours] = await Promise.all(servers.map((server) => rightsOf(server, user, namespace)));
        expect(ours, `${user} in ${namespace}`).toEqual(theirs);
      }
      for (const server of servers) {
        for (const path of objects.keys()) await call(server, "DELETE", path);
      }
    },
  );
});
