import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, type ClusterOptions, type LeadershipEvent, startCluster } from "../../src/cluster/index.js";
import { openEtcdKv } from "../../src/server/storage/etcd/etcd-kv.js";
import { call } from "../helpers/api-caller.js";
import { etcdMissing, type EtcdServer, startEtcd, tellEtcdMissing } from "../helpers/etcd.js";
import { eventually } from "../helpers/eventually.js";

// Two servers of one process on one etcd: what one server does at a time, and what each does.

tellEtcdMissing("servers that share an etcd");

/** No Lease expires while a test runs, and no candidate looks again by itself: only what is given up passes to another server. */
const NEVER_EXPIRES = { leaseDuration: 3_600_000, renewDeadline: 1_800_000, retryPeriod: 600_000 };
const PROGRAMS = ["kube-system/kube-controller-manager", "kube-system/kube-scheduler"];
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const ENDPOINTS = "/api/v1/namespaces/default/endpoints/kubernetes";
const SLICES =
  "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=kubernetes";

interface Server {
  readonly cluster: Cluster;
  readonly api: Transport;
  readonly port: number;
  readonly events: LeadershipEvent[];
}

interface Items<T> {
  readonly items: readonly T[];
}

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string };
}

let etcd: EtcdServer;
let prefixes = 0;
const running = new Set<Server>();

async function start(prefix: string, options: ClusterOptions = {}): Promise<Server> {
  const events: LeadershipEvent[] = [];
  const cluster = await startCluster({
    storage: "etcd",
    etcd: { servers: [etcd.endpoint], prefix },
    leaderElect: NEVER_EXPIRES,
    onLeadership: (event) => events.push(event),
    ...options,
  });
  const server = { cluster, api: cluster.transport(), port: Number(new URL(cluster.url).port), events };
  running.add(server);
  return server;
}

async function stop(server: Server): Promise<void> {
  running.delete(server);
  await server.cluster.close();
}

const newPrefix = (): string => `/several-servers-${prefixes++}`;
const terms = ({ events }: Server): string[] =>
  events.filter(({ type }) => type !== "request").map(({ type, lease }) => `${type} ${lease}`);

async function get<T>(api: Transport, path: string): Promise<T> {
  const answer = await call(api, "GET", path);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text) as T;
}

async function create(api: Transport, path: string, object: object): Promise<void> {
  const answer = await call(api, "POST", path, object);
  expect(answer.status, answer.text).toBe(201);
}

const template = (name: string, more: object = {}) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: "c", image: "i", ...more }] },
});

const deployment = (name: string, replicas: number) => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
});

/** The uids of all pods with the label app that there have ever been, by the watch's events from the store's first on. */
function observePods(api: Transport, app: string): { readonly uids: Set<string>; end(): void } {
  const uids = new Set<string>();
  const ending = new AbortController();
  void (async () => {
    const path = `/api/v1/namespaces/default/pods?watch=1&labelSelector=app=${app}`;
    const watch = await api.send({ method: "GET", path, headers: {}, signal: ending.signal });
    let text = "";
    for await (const chunk of watch.body) {
      const lines = (text + Buffer.from(chunk).toString()).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) uids.add((JSON.parse(line) as { object: Named }).object.metadata.uid);
    }
  })().catch(() => {});
  return { uids, end: () => ending.abort() };
}

beforeAll(async () => {
  if (etcdMissing === undefined) etcd = await startEtcd();
});
afterAll(async () => {
  for (const server of running) await stop(server);
  await etcd?.dispose();
});

describe.skipIf(etcdMissing !== undefined)("two servers on one etcd", () => {
  let one: Server;
  let two: Server;
  beforeAll(async () => {
    const prefix = newPrefix();
    one = await start(prefix, { nodes: [{ name: "one" }] });
    two = await start(prefix, { nodes: [{ name: "two" }] });
  });

  test("run the controllers and the scheduler in one of them", async () => {
    expect(terms(one)).toEqual(PROGRAMS.map((lease) => `began ${lease}`));
    expect(terms(two)).toEqual(PROGRAMS.map((lease) => `waiting ${lease}`));
    const observed = observePods(one.api, "web");
    await create(two.api, DEPLOYMENTS, deployment("web", 10));
    await create(one.api, JOBS, {
      metadata: { name: "once" },
      spec: {
        completions: 1,
        template: { spec: { ...template("once", { command: ["true"] }).spec, restartPolicy: "Never" } },
      },
    });
    await eventually(async () => {
      const { status } = await get<{ status: { readyReplicas?: number } }>(two.api, `${DEPLOYMENTS}/web`);
      expect(status.readyReplicas).toBe(10);
      const job = await get<{ status: { succeeded?: number } }>(two.api, `${JOBS}/once`);
      expect(job.status.succeeded).toBe(1);
      expect(observed.uids.size).toBeGreaterThanOrEqual(10);
    });
    const pods = await get<Items<Named>>(one.api, `${PODS}?labelSelector=job-name=once`);
    expect(pods.items).toHaveLength(1);
    expect(observed.uids.size).toBe(10);
    observed.end();
    expect(two.events.filter(({ type }) => type === "request")).toEqual([]);
    const requests = one.events.filter(({ type }) => type === "request").map(({ lease }) => lease);
    expect([...new Set(requests)].toSorted()).toEqual(PROGRAMS);
  });

  test("A-RUN-06: answer the creation of a namespace, through either, with its ServiceAccount and ConfigMap in place", async () => {
    for (const [index, { api }] of [one, two].entries()) {
      for (let round = 0; round < 5; round++) {
        const name = `new-${index}-${round}`;
        await create(api, "/api/v1/namespaces", { metadata: { name } });
        await get(api, `/api/v1/namespaces/${name}/serviceaccounts/default`);
        await get(api, `/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`);
      }
    }
  });

  async function expectEndpoints({ api }: Server, servers: readonly Server[]): Promise<void> {
    const ports = servers.map(({ port }) => port).toSorted((a, b) => a - b);
    await eventually(async () => {
      const { subsets } = await get<{ subsets: unknown }>(api, ENDPOINTS);
      expect(subsets).toEqual(
        ports.map((port) => ({
          addresses: [{ ip: "127.0.0.1" }],
          ports: [{ name: "https", port, protocol: "TCP" }],
        })),
      );
      const { items } = await get<Items<Named & { endpoints: unknown; ports: unknown }>>(api, SLICES);
      expect(items.map(({ metadata, endpoints, ports }) => ({ name: metadata.name, endpoints, ports }))).toEqual(
        ports.map((port, index) => ({
          name: index === 0 ? "kubernetes" : `kubernetes-${port}`,
          endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
          ports: [{ name: "https", port, protocol: "TCP" }],
        })),
      );
    });
  }

  test("are both endpoints of the Service kubernetes, in one subset and one slice for each port", async () => {
    await expectEndpoints(two, [one, two]);
    await expectEndpoints(one, [one, two]);
    expect((await call(one.api, "DELETE", ENDPOINTS)).status).toBe(200);
    await expectEndpoints(one, [one, two]);
  });

  test("change leadership at once when the leader stops, and the other becomes the only endpoint", async () => {
    await stop(one);
    const own = one.events.map(({ type, lease }) => `${type} ${lease}`);
    for (const lease of PROGRAMS) {
      expect(own.lastIndexOf(`request ${lease}`)).toBeLessThan(own.lastIndexOf(`ended ${lease}`));
    }
    await eventually(() => {
      const began = terms(two).filter((term) => term.startsWith("began"));
      expect(began.toSorted()).toEqual(PROGRAMS.map((lease) => `began ${lease}`));
    });
    await create(two.api, DEPLOYMENTS, deployment("later", 2));
    await eventually(async () => {
      const { items } = await get<Items<{ spec: { nodeName?: string } }>>(two.api, `${PODS}?labelSelector=app=later`);
      expect(items.map(({ spec }) => spec.nodeName !== undefined)).toEqual([true, true]);
    });
    await expectEndpoints(two, [two]);
    await stop(two);
  });
});

describe.skipIf(etcdMissing !== undefined)("a server on etcd", () => {
  test("removes another server from the endpoints that no longer renews its lease; one of kube-apiserver, which names no port, has its port", async () => {
    const prefix = newPrefix();
    const one = await start(prefix, { controllers: false, scheduler: false });
    const kv = await openEtcdKv({ endpoints: [etcd.endpoint], prefix });
    const subsets = async (): Promise<unknown> =>
      (
        await get<{ subsets: readonly { addresses: unknown; ports: readonly { port: number }[] }[] }>(
          one.api,
          ENDPOINTS,
        )
      ).subsets.map(({ addresses, ports }) => ({ addresses, port: ports[0]?.port }));
    const own = { addresses: [{ ip: "127.0.0.1" }], port: one.port };
    const lease = (ip: string, port: object) =>
      Buffer.from(
        JSON.stringify({
          kind: "Endpoints",
          apiVersion: "v1",
          metadata: {},
          subsets: [{ addresses: [{ ip }], ...port }],
        }),
      );
    const other = "/registry/masterleases/127.0.0.2:1";
    const stored = lease("127.0.0.2", { ports: [{ name: "https", port: 1 }] });
    const { revision } = await kv.create(other, stored);
    await kv.create("/registry/masterleases/127.0.0.3", lease("127.0.0.3", {}));
    const both = { addresses: [{ ip: "127.0.0.1" }, { ip: "127.0.0.3" }], port: one.port };
    await eventually(async () =>
      expect(await subsets()).toEqual([{ addresses: [{ ip: "127.0.0.2" }], port: 1 }, both]),
    );
    await kv.update(other, stored, revision, { ttlSeconds: 1 });
    await eventually(async () => expect(await subsets()).toEqual([both]));
    const { kv: left } = await kv.get("/registry/masterleases/127.0.0.3");
    await kv.delete("/registry/masterleases/127.0.0.3", left?.revision ?? 0);
    await eventually(async () => expect(await subsets()).toEqual([own]));
    await kv.close();
    await stop(one);
  });

  test("that cannot renew its Lease stops its controllers and keeps serving, and starts new ones when it leads again", async () => {
    const one = await start(newPrefix(), {
      leaderElect: { leaseDuration: 1000, renewDeadline: 500, retryPeriod: 50 },
    });
    await etcd.pause();
    const ofControllers = (type: string) => `${type} kube-system/kube-controller-manager`;
    await eventually(() => expect(terms(one)).toContain(ofControllers("ended")));
    expect((await call(one.api, "GET", "/livez/ping")).status).toBe(200);
    etcd.resume();
    await eventually(() => expect(terms(one).slice(2)).toContain(ofControllers("began")));
    await create(one.api, DEPLOYMENTS, deployment("again", 2));
    await eventually(async () => {
      const { items } = await get<Items<Named>>(one.api, `${PODS}?labelSelector=app=again`);
      expect(items).toHaveLength(2);
    });
    await stop(one);
  });

  test("with leaderElect false runs its controllers without a Lease", async () => {
    const prefix = newPrefix();
    const one = await start(prefix, { leaderElect: false, scheduler: false });
    expect(terms(one)).toEqual([]);
    expect((await get<Items<Named>>(one.api, LEASES)).items).toEqual([]);
    await stop(one);
  });
});

test("a server on its own storage writes no Lease, and warns that leader election has no effect", async () => {
  const warnings: string[] = [];
  const cluster = await startCluster({
    port: false,
    storage: "memory",
    leaderElect: true,
    onWarning: (warning) => warnings.push(warning),
  });
  expect((await get<Items<Named>>(cluster.transport(), LEASES)).items).toEqual([]);
  expect(warnings).toEqual(['leader election has no effect: storage "memory" belongs to one server']);
  await cluster.close();
});
