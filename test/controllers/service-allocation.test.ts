import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type EventBroadcaster,
  eventBroadcaster,
  kubernetesClient,
  type KubernetesClient,
} from "../../src/client/index.js";
import { type PathApi, pathApi } from "../helpers/path-api.js";
import { ClusterIpRepair } from "../../src/controllers/service-allocation/cluster-ip-repair.js";
import { NodePortRepair } from "../../src/controllers/service-allocation/node-port-repair.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { openMemoryKv } from "../../src/server/storage/memory/memory-kv.js";
import { FixedClock } from "../helpers/fixed-clock.js";
import { type SharedServer, sharedServers } from "../helpers/shared-servers.js";

const SERVICES = "/api/v1/namespaces/default/services";
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";

let clock: FixedClock;
let kv: Kv;
let powerCut: boolean;
let api: PathApi;
let nodePorts: SharedServer["nodePorts"];
let close: () => Promise<void>;
let client: KubernetesClient;
let broadcaster: EventBroadcaster;
let ips: ClusterIpRepair;
let ports: NodePortRepair;

beforeEach(async () => {
  clock = new FixedClock(Date.UTC(2026, 0, 1));
  powerCut = false;
  kv = openMemoryKv({ clock });
  const opened = await sharedServers(cutBeforeServices(kv), clock, { count: 1 });
  const [server] = opened.servers as [SharedServer];
  ({ nodePorts } = server);
  close = opened.close;
  api = pathApi(server.api, "test");
  client = kubernetesClient({ transport: () => server.api });
  broadcaster = eventBroadcaster({ client, clock, onError: (error) => expect.fail(String(error)) });
  ips = new ClusterIpRepair(client, clock, broadcaster.recorder({ component: "ipallocator-repair-controller" }));
  ports = new NodePortRepair(client, nodePorts, broadcaster.recorder({ component: "portallocator-repair-controller" }));
});
afterEach(async () => {
  await broadcaster.close();
  await close();
});

/** A store that services do not reach while {@link powerCut} lasts: nobody knows what became of the write. */
function cutBeforeServices(store: Kv): Kv {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...values: unknown[]) => {
        const lost = powerCut && property === "create" && String(values[0]).startsWith("/registry/services/specs/");
        return lost ? Promise.reject(new Error("power cut")) : (value.apply(target, values) as unknown);
      };
    },
  });
}

const service = (name: string, clusterIP: string, nodePort: number): KubeObject => ({
  metadata: { name },
  spec: { type: "NodePort", clusterIP, ports: [{ port: 80, nodePort }] },
});

const addresses = async () => (await api.list(ADDRESSES)).items.map(({ metadata }) => metadata?.name);
const taken = async () => [...(await nodePorts.read()).ports];
const repairAll = async () => {
  await ips.run();
  await ports.run();
  await broadcaster.flush();
};

async function events(): Promise<unknown[][]> {
  const { items } = await api.list("/api/v1/namespaces/default/events");
  return items.map((event) => {
    const about = event["involvedObject"] as { kind: string; name: string };
    return [about.kind, about.name, event["reason"], event["message"]];
  });
}

async function forgetPorts(): Promise<void> {
  await nodePorts.write([], (await nodePorts.read()).version);
}

test("the repair of Service addresses and ports writes nothing when all belong to their services", async () => {
  await api.create(SERVICES, service("web", "10.96.5.5", 30080));
  await api.create(SERVICES, { metadata: { name: "headless" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } });
  clock.advance(3_600_000);
  const before = await kv.currentRevision();
  await repairAll();
  await repairAll();
  expect(await kv.currentRevision()).toBe(before);
});

describe("after a crash between allocating an address or port and storing the service, the repair", () => {
  beforeEach(async () => {
    powerCut = true;
    await expect(api.create(SERVICES, service("lost", "10.96.5.5", 30080))).rejects.toThrow();
    powerCut = false;
    expect([await addresses(), await taken()]).toEqual([["10.96.5.5"], [30080]]);
  });

  test("frees the address after a minute, not before", async () => {
    clock.advance(60_000);
    await ips.run();
    expect(await addresses()).toEqual(["10.96.5.5"]);
    clock.advance(1000);
    await ips.run();
    expect(await addresses()).toEqual([]);
    expect(await events()).toEqual([
      [
        "IPAddress",
        "10.96.5.5",
        "IPAddressNotAllocated",
        "IPAddress: 10.96.5.5 for Service default/lost appears to have leaked: cleaning up",
      ],
    ]);
    await api.create(SERVICES, service("next", "10.96.5.5", 30081));
  });

  test("frees the port after it was seen without a service three times", async () => {
    await ports.run();
    await ports.run();
    expect(await taken()).toEqual([30080]);
    await ports.run();
    expect(await taken()).toEqual([]);
    await api.create(SERVICES, service("next", "10.96.5.6", 30080));
  });

  test("keeps both for a service that is stored meanwhile", async () => {
    await ports.run();
    await ports.run();
    const other = service("other", "10.96.5.6", 30081);
    const stored = await api.create(SERVICES, other);
    // The lost write arrives after all.
    const { kv: template } = await kv.get("/registry/services/specs/default/other");
    const text = Buffer.from(template?.value ?? []).toString();
    const late = text.replaceAll("10.96.5.6", "10.96.5.5").replace("30081", "30080").replaceAll("other", "lost");
    await kv.create("/registry/services/specs/default/lost", Buffer.from(late));
    clock.advance(61_000);
    await repairAll();
    await repairAll();
    expect([await addresses(), await taken()]).toEqual([
      ["10.96.5.5", "10.96.5.6"],
      [30080, 30081],
    ]);
    expect([await events(), stored.metadata?.name]).toEqual([[], "other"]);
  });
});

test("the repair records addresses and ports of services that an earlier version stored without records", async () => {
  await api.create(SERVICES, service("old", "10.96.5.5", 30080));
  await api.delete(`${ADDRESSES}/10.96.5.5`);
  await forgetPorts();
  await repairAll();
  expect([await addresses(), await taken()]).toEqual([["10.96.5.5"], [30080]]);
  expect((await api.get(`${ADDRESSES}/10.96.5.5`))["spec"]).toEqual({
    parentRef: { resource: "services", namespace: "default", name: "old" },
  });
  expect(await events()).toEqual([
    ["Service", "old", "ClusterIPNotAllocated", "Cluster IP [IPv4]: 10.96.5.5 is not allocated; repairing"],
    ["Service", "old", "PortNotAllocated", "Port 30080 is not allocated; repairing"],
  ]);
});

test("the repair corrects an address that names the wrong owner", async () => {
  await api.create(SERVICES, service("web", "10.96.5.5", 30080));
  const address = await api.get(`${ADDRESSES}/10.96.5.5`);
  await api.delete(`${ADDRESSES}/10.96.5.5`);
  const { name, labels } = address.metadata ?? {};
  const parentRef = { resource: "services", namespace: "default", name: "nobody" };
  await api.create(ADDRESSES, { metadata: { name: name ?? "", labels: labels ?? {} }, spec: { parentRef } });
  await ips.run();
  expect((await api.get(`${ADDRESSES}/10.96.5.5`))["spec"]).toEqual(address["spec"]);
  expect(await events()).toEqual([
    [
      "Service",
      "web",
      "ClusterIPNotAllocated",
      "the ClusterIP [IPv4]: 10.96.5.5 for Service default/web has a wrong reference; repairing",
    ],
  ]);
});

test("the repair frees an address that its service does not use, but not one that a user created", async () => {
  await api.create(SERVICES, service("web", "10.96.5.5", 30080));
  const parentRef = { resource: "services", namespace: "default", name: "web" };
  const managed = { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" };
  await api.create(ADDRESSES, { metadata: { name: "10.96.6.6", labels: managed }, spec: { parentRef } });
  await api.create(ADDRESSES, { metadata: { name: "10.96.7.7" }, spec: { parentRef } });
  await ips.run();
  expect(await addresses()).toEqual(["10.96.5.5", "10.96.7.7"]);
  expect((await events()).map(([kind, about, reason]) => [kind, about, reason])).toEqual([
    ["IPAddress", "10.96.6.6", "IPAddressWrongReference"],
  ]);
});

test("the repair reports a port or an address that two services have, and keeps it", async () => {
  await api.create(SERVICES, service("a", "10.96.5.5", 30080));
  const { kv: stored } = await kv.get("/registry/services/specs/default/a");
  const twin = Buffer.from(stored?.value ?? [])
    .toString()
    .replace('"name":"a"', '"name":"b"');
  await kv.create("/registry/services/specs/default/b", Buffer.from(twin));
  await repairAll();
  expect(await taken()).toEqual([30080]);
  expect((await events()).map(([, about, reason]) => [about, reason])).toEqual([
    ["b", "ClusterIPAlreadyAllocated"],
    ["b", "PortAlreadyAllocated"],
  ]);
});

test("the first repair of a new cluster makes ports available", async () => {
  const key = "/registry/ranges/servicenodeports";
  const { kv: stored } = await kv.get(key);
  await kv.delete(key, stored?.revision ?? 0);
  await ports.run();
  expect(
    (await api.create(SERVICES, { metadata: { name: "np" }, spec: { type: "NodePort", ports: [{ port: 1 }] } })).kind,
  ).toBe("Service");
});
