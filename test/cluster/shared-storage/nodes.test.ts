import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import { kubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import { giveUpDouble } from "../../../src/cluster/nodes/claim-nodes.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { RENEW_MS } from "../../../src/node/agent/node-registration.js";
import { startNodeAgent } from "../../../src/node/node-agent.js";
import { startNodeFleet } from "../../../src/node/node-fleet.js";
import { call } from "../../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { scriptedRuntime } from "../../helpers/outside-node.js";

tellEtcdMissing("the nodes of several servers on one etcd");

describe.skipIf(etcdMissing !== undefined)("the nodes of servers that share an etcd", () => {
  let etcd: EtcdServer;
  let folder: string;
  let servers: Cluster[] = [];
  let stores = 0;
  let prefix = "";

  beforeAll(async () => {
    etcd = await startEtcd();
    folder = mkdtempSync(join(tmpdir(), "kubets-shared-"));
  });
  afterAll(async () => {
    await etcd.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    servers = [];
    prefix = "";
  });

  /** A server on the test's own part of etcd. */
  async function start(serverName: string | undefined, options: ClusterOptions = {}): Promise<Cluster> {
    if (prefix === "") prefix = `/nodes-${++stores}`;
    const server = await startCluster({
      storage: "etcd",
      etcd: { servers: [etcd.endpoint], prefix },
      dataDir: join(folder, prefix),
      controllers: ["node-lifecycle-controller"],
      scheduler: false,
      ...(serverName !== undefined && { serverName }),
      nodes: 2,
      ...options,
    });
    servers.push(server);
    return server;
  }

  async function stop(server: Cluster): Promise<void> {
    servers = servers.filter((one) => one !== server);
    await server.close();
  }

  async function nodesOf(server: Cluster): Promise<readonly KubeObject[]> {
    const { at } = await call(server.transport(), "GET", "/api/v1/nodes");
    return objects(at("items")) as readonly KubeObject[];
  }
  const namesOf = async (server: Cluster) => (await nodesOf(server)).map(({ metadata }) => metadata?.name);
  const rangesOf = async (server: Cluster) =>
    (await nodesOf(server)).map(({ spec }) => text((spec as { podCIDR?: unknown }).podCIDR));

  /** As time does it for a server that was killed: the Lease of a node has ended. */
  async function endLease(server: Cluster, node: string): Promise<void> {
    const spec = { renewTime: "2020-01-01T00:00:00.000000Z" };
    const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node}`;
    const type = "application/merge-patch+json";
    expect((await call(server.transport(), "PATCH", path, { spec }, { type })).status).toBe(200);
  }

  test("start at the same time with different node names and address blocks", async () => {
    const [one] = await Promise.all(["a", "b", "c"].map((name) => start(name)));
    const nodes = await nodesOf(one as Cluster);
    const names = ["a-node-1", "a-node-2", "b-node-1", "b-node-2", "c-node-1", "c-node-2"];
    const labels = nodes.map(({ metadata }) => metadata?.labels ?? {});
    expect(nodes.map(({ metadata }) => metadata?.name)).toEqual(names);
    expect(labels.map((all) => all["kubernetes.io/hostname"])).toEqual(names);
    expect(labels.map((all) => all["kubets.dev/server"])).toEqual(["a", "a", "b", "b", "c", "c"]);
    expect(new Set(await rangesOf(one as Cluster)).size).toBe(6);
  });

  test("are not shared by name: a live server's node name is refused to another, and free once that server's Lease has ended", async () => {
    const one = await start("a", { nodes: [{ name: "box" }] });
    const [before] = await nodesOf(one);
    const refused = start("b", { nodes: [{ name: "box" }] });
    await expect(refused).rejects.toThrow(/^node "box" is held by server "a", whose Lease lasts until 20\d\d-/);
    expect((await nodesOf(one))[0]?.metadata?.labels).toEqual(before?.metadata?.labels);
    await endLease(one, "box");
    await stop(one);
    const two = await start("b", { nodes: [{ name: "box" }] });
    expect((await nodesOf(two)).map(({ metadata }) => metadata?.labels?.["kubets.dev/server"])).toEqual(["b"]);
  });

  test("are taken over from a dead server by only one of two servers that try at the same time", async () => {
    const api = (await start("a", { nodes: 0 })).transport();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    await call(api, "POST", "/api/v1/nodes", { metadata: { name: "box" } });
    const spec = { holderIdentity: "box", leaseDurationSeconds: 40, renewTime: "2020-01-01T00:00:00.000000Z" };
    await call(api, "POST", leases, { metadata: { name: "box" }, spec });
    const both = await Promise.allSettled(["b", "c"].map((name) => start(name, { nodes: [{ name: "box" }] })));
    const refused = both.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(refused).toEqual([expect.stringMatching(/^ServerNameError: node "box" is held by /)]);
    const winner = both[0]?.status === "fulfilled" ? "b" : "c";
    const { at } = await call(api, "GET", "/api/v1/nodes/box");
    expect(object(at("metadata.labels"))["kubets.dev/server"]).toBe(winner);
  });

  test("return at a restart at once with their addresses, and those that are no longer configured are removed with their pods", async () => {
    const other = await start("b");
    const first = await start("a");
    const ranges = await rangesOf(first);
    const path = "/api/v1/namespaces/default";
    await call(other.transport(), "POST", `${path}/serviceaccounts`, { metadata: { name: "default" } });
    for (const node of ["a-node-1", "a-node-2", "b-node-2"]) {
      const pod = {
        metadata: { name: `on-${node}` },
        spec: { nodeName: node, containers: [{ name: "c", image: "i" }] },
      };
      expect((await call(other.transport(), "POST", `${path}/pods`, pod)).status).toBe(201);
    }
    // Its Leases say that it lives: so they do after kill -9.
    await stop(first);
    const again = await start("a", { nodes: 1 });
    expect(await namesOf(again)).toEqual(["a-node-1", "b-node-1", "b-node-2"]);
    expect(await rangesOf(again)).toEqual([ranges[0], ranges[2], ranges[3]]);
    expect(await namesOf(other)).toEqual(["a-node-1", "b-node-1", "b-node-2"]);
    const pods = objects((await call(again.transport(), "GET", `${path}/pods`)).at("items"));
    expect(pods.map(({ metadata }) => object(metadata).name)).toEqual(["on-a-node-1", "on-b-node-2"]);
  });

  test("are named by host and first port when the servers have no given name, also after the port changes", async () => {
    const first = await start(undefined, { nodes: 1 });
    const second = await start(undefined, { nodes: 1 });
    const names = await namesOf(second);
    const host = hostname()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-");
    const own = [first, second].map(({ url }) => `${host}-${new URL(url).port}-node-1`);
    expect(names).toEqual(own.toSorted());
    await Promise.all([stop(first), stop(second)]);
    // A fixed port is another server's.
    const third = await start(undefined, { nodes: 1 });
    expect(await namesOf(third)).toEqual(names);
  });

  test("need a server name that no other process of the folder uses, and the folder remembers the name", async () => {
    const first = await start("a", { nodes: 1 });
    await expect(start("a", { nodes: 1 })).rejects.toThrow(
      `the server name "a" is in use by process ${process.pid}; give this server another one`,
    );
    await stop(first);
    const again = await start(undefined, { nodes: 1 });
    expect(await namesOf(again)).toEqual(["a-node-1"]);
  });

  test.each(["same", "other"])(
    "need a name that no running server of another folder has, with the %s authority",
    async (which) => {
      const first = await start("a", { nodes: 1 });
      const dataDir = join(folder, prefix, "other");
      mkdirSync(dataDir, { mode: 0o700 });
      if (which === "same") copyFileSync(join(folder, prefix, "pki.json"), join(dataDir, "pki.json"));
      await expect(start("a", { nodes: 1, dataDir })).rejects.toThrow(
        'another server of the name "a" runs node "a-node-1"; give this server another name',
      );
      await stop(first);
      // Nothing answers any more, whatever the Lease says.
      expect(await namesOf(await start("a", { nodes: 1, dataDir }))).toEqual(["a-node-1"]);
    },
  );

  test.each([
    ["upper case", { serverName: "Up" }, /^invalid server name "Up": use lower-case/],
    ["too long", { serverName: "a".repeat(51) }, /at most 50/],
    ["storage that no other server shares", { serverName: "a", storage: "memory" }, /has no effect/],
  ] as const)(
    "are not started for an invalid server name, before anything is opened: %s",
    async (_, options, message) => {
      await expect(startCluster({ storage: "etcd", ...options })).rejects.toThrow(message);
    },
  );

  test("are removed with their pods when an earlier version left them and their Lease has ended, with a log line", async () => {
    const warnings: string[] = [];
    const setUp = await start("a", { nodes: 0, controllers: false });
    // In process, of no server, by its own name: as earlier versions had it.
    const agent = await startNodeAgent({
      name: "node-1",
      transport: setUp.transport(),
      runtime: scriptedRuntime({}),
      tls: { certificate: "", key: "", clientCa: "" },
      clock: systemClock,
      timers: systemTimers,
      reportError: () => {},
    });
    const left = { metadata: { name: "left" }, spec: { nodeName: "node-1", containers: [{ name: "c", image: "i" }] } };
    await call(setUp.transport(), "POST", "/api/v1/namespaces/default/serviceaccounts", {
      metadata: { name: "default" },
    });
    expect((await call(setUp.transport(), "POST", "/api/v1/namespaces/default/pods", left)).status).toBe(201);
    await agent.stop();
    const outside = { metadata: { name: "node-9" }, status: { addresses: [{ type: "Hostname", address: "node-9" }] } };
    expect((await call(setUp.transport(), "POST", "/api/v1/nodes", outside)).status).toBe(201);
    const leader = await start("b", { nodes: 0, onWarning: (line) => void warnings.push(line) });
    expect(await namesOf(setUp)).toEqual(["node-1", "node-9"]);
    await stop(leader);
    await endLease(setUp, "node-1");
    const third = await start("c", { nodes: 0, onWarning: (line) => void warnings.push(line) });
    await eventually(() => expect(warnings).toHaveLength(1));
    expect(await namesOf(third)).toEqual(["node-9"]);
    expect((await call(third.transport(), "GET", "/api/v1/namespaces/default/pods/left")).status).toBe(404);
    expect(warnings).toEqual([
      'node "node-1" was removed with its 1 pods: a server of an earlier version left it, and its Lease ended',
    ]);
  });

  test("leave a pod that is deleted to the kubelet of the server that runs its node", async () => {
    const one = await start("a", { controllers: ["pod-garbage-collector-controller"] });
    const two = await start("b");
    const api = one.transport();
    const pods = "/api/v1/namespaces/default/pods";
    await call(api, "POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    await call(api, "POST", "/api/v1/nodes", { metadata: { name: "outside" } });
    const create = async (name: string, nodeName: string) => {
      const containers = [{ name: "c", image: "busybox", command: ["sleep", "1000"] }];
      const spec = { nodeName, automountServiceAccountToken: false, containers };
      expect((await call(api, "POST", pods, { metadata: { name }, spec })).status).toBe(201);
    };
    await Promise.all([create("theirs", "b-node-1"), create("nobodys", "outside")]);
    await eventually(async () => expect((await call(api, "GET", `${pods}/theirs`)).at("status.phase")).toBe("Running"));
    await stop(two);
    await call(api, "DELETE", `${pods}/theirs?gracePeriodSeconds=1`);
    await call(api, "DELETE", `${pods}/nobodys?gracePeriodSeconds=2`);
    await eventually(async () => expect((await call(api, "GET", `${pods}/nobodys`)).status).toBe(404));
    expect((await call(api, "GET", `${pods}/theirs`)).at("metadata.deletionGracePeriodSeconds")).toBe(1);
    await start("b");
    await eventually(async () => expect((await call(api, "GET", `${pods}/theirs`)).status).toBe(404));
  });

  test("are not restored after a deletion once another node has their pods' addresses", async () => {
    const server = await start("a", { nodes: 0 });
    const faults: unknown[] = [];
    await using client = kubernetesClient(server);
    const time = new ManualTime();
    const podCidr = "10.244.7.0/24";
    const fleet = await startNodeFleet({
      nodes: [
        {
          name: "a-node-9",
          runtime: scriptedRuntime({}),
          podCidr,
          tls: () => ({ certificate: "", key: "", clientCa: "" }),
          checkReturn: () => giveUpDouble("a-node-9", { client }),
        },
      ],
      transport: server.transport(),
      clock: time,
      timers: time,
      reportError: (error) => void faults.push(error),
    });
    const api = server.transport();
    const remove = async (node: string): Promise<void> => {
      expect((await call(api, "DELETE", `/api/v1/nodes/${node}`)).status).toBe(200);
      await call(api, "DELETE", `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node}`);
    };
    await remove("a-node-9");
    // The next renewal of its Lease finds that the Node is gone.
    await eventually(async () => {
      time.pass(RENEW_MS);
      expect(await namesOf(server)).toEqual(["a-node-9"]);
    });
    await remove("a-node-9");
    await call(api, "POST", "/api/v1/nodes", { metadata: { name: "b-node-1" }, spec: { podCIDR: podCidr } });
    await eventually(() => {
      time.pass(RENEW_MS);
      expect(faults.map(String)).toContainEqual(expect.stringContaining('node "a-node-9" was deleted'));
    });
    await fleet.stop();
    expect(await namesOf(server)).toEqual(["b-node-1"]);
  });
});
