import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NODE_PORTS } from "../../../../../src/server/builtin/core/services/port-set.js";
import type { Kv } from "../../../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../../../src/server/storage/memory/memory-kv.js";
import { type Answer, call } from "../../../../helpers/api-caller.js";
import { FixedClock } from "../../../../helpers/fixed-clock.js";
import { type SharedServer, sharedServers } from "../../../../helpers/shared-servers.js";

const SERVICES = "/api/v1/namespaces/default/services";
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";

const clock = new FixedClock(Date.UTC(2026, 0, 1));
let kv: Kv;
let close: () => Promise<void>;
let one: SharedServer;
let two: SharedServer;

async function open(cidr?: string): Promise<void> {
  kv = openMemoryKv({ clock });
  const opened = await sharedServers(kv, clock, cidr === undefined ? {} : { cidr });
  [one, two] = opened.servers as [SharedServer, SharedServer];
  close = opened.close;
}

beforeEach(() => open());
afterEach(() => close());

const service = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { type: "NodePort", ports: [{ port: 80 }], ...spec },
});

const create = (name: string, spec?: object, at = one, query = ""): Promise<Answer> =>
  call(at.api, "POST", SERVICES + query, service(name, spec));

const asking = (clusterIP: string, nodePort: number) => ({ clusterIP, ports: [{ port: 80, nodePort }] });

async function addresses(): Promise<string[]> {
  const list = JSON.parse((await call(two.api, "GET", ADDRESSES)).text) as { items: { metadata: { name: string } }[] };
  return list.items.map(({ metadata }) => metadata.name).sort();
}

const ports = async () => [...(await two.nodePorts.read()).ports];

describe("two servers on one storage", () => {
  test("give 200 concurrently created services 200 different addresses and node ports", async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => create(`s${index}`, {}, index % 2 === 0 ? one : two)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const ips = answers.map((answer) => answer.at("spec.clusterIP") as string);
    const nodePorts = answers.map((answer) => answer.at("spec.ports.0.nodePort") as number);
    expect(new Set(ips).size).toBe(200);
    expect(new Set(nodePorts).size).toBe(200);
    expect(await addresses()).toEqual(ips.sort());
    expect(await ports()).toEqual(nodePorts.sort((a, b) => a - b));
    // Neither is what people choose themselves, as long as others are free.
    expect(nodePorts.filter((port) => port < NODE_PORTS.first + 86)).toEqual([]);
    expect(ips.filter((ip) => ip.startsWith("10.96.0."))).toEqual([]);
  });

  test("give a contested address or port to one service, and keep nothing for the others", async () => {
    const spec = asking("10.96.7.7", 30100);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(`same-${index}`, spec, index % 2 === 0 ? one : two)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(19);
    for (const answer of refused) {
      expect([answer.status, answer.at("message")]).toEqual([
        422,
        expect.stringMatching(/failed to allocate IP 10\.96\.7\.7: provided IP is already allocated$/),
      ]);
    }
    expect(await addresses()).toEqual(["10.96.7.7"]);
    expect(await ports()).toEqual([30100]);
  });

  test("see at once what the other has allocated and freed", async () => {
    for (const [here, there] of [
      [one, two],
      [two, one],
    ] as const) {
      expect((await create("again", asking("10.96.5.5", 30080), here)).status).toBe(201);
      expect((await create("other", asking("10.96.5.5", 30081), there)).status).toBe(422);
      expect((await create("other", asking("10.96.5.6", 30080), there)).status).toBe(422);
      expect((await call(there.api, "DELETE", `${SERVICES}/again`)).status).toBe(200);
    }
    expect([await addresses(), await ports()]).toEqual([[], []]);
  });
});

test("an allocated address is an IPAddress object that names its Service", async () => {
  await create("web", { clusterIP: "10.96.1.2" });
  const address = JSON.parse((await call(one.api, "GET", `${ADDRESSES}/10.96.1.2`)).text) as object;
  expect(address).toMatchObject({
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: {
      name: "10.96.1.2",
      labels: {
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      },
    },
  });
  expect((address as { spec: object }).spec).toEqual({
    parentRef: { resource: "services", namespace: "default", name: "web" },
  });
});

test("allocated node ports are bits of one stored number", async () => {
  await create("web", asking("10.96.1.2", 30009));
  const { kv: stored } = await kv.get("/registry/ranges/servicenodeports");
  expect(JSON.parse(Buffer.from(stored?.value ?? []).toString())).toEqual({
    kind: "RangeAllocation",
    apiVersion: "v1",
    metadata: {},
    range: "30000-32767",
    data: "AgA=",
  });
});

describe("a service frees", () => {
  test("its address when it becomes ExternalName, and its ports when it needs none", async () => {
    await create("a", asking("10.96.2.2", 30200));
    const inner = service("a", { type: "ClusterIP", ports: [{ port: 80 }] });
    expect((await call(one.api, "PUT", `${SERVICES}/a`, inner)).at("spec.clusterIP")).toBe("10.96.2.2");
    expect([await addresses(), await ports()]).toEqual([["10.96.2.2"], []]);
    const external = { metadata: { name: "a" }, spec: { type: "ExternalName", externalName: "example.com" } };
    expect((await call(one.api, "PUT", `${SERVICES}/a`, external)).status).toBe(200);
    expect(await addresses()).toEqual([]);
    const back = await call(one.api, "PUT", `${SERVICES}/a`, service("a"));
    expect([await addresses(), await ports()]).toEqual([
      [back.at("spec.clusterIP")],
      [back.at("spec.ports.0.nodePort")],
    ]);
  });

  test("a port that it replaced by another", async () => {
    await create("a", asking("10.96.2.2", 30200));
    expect((await call(one.api, "PUT", `${SERVICES}/a`, service("a", asking("10.96.2.2", 30201)))).status).toBe(200);
    expect(await ports()).toEqual([30201]);
  });

  test("everything when its last finalizer is removed, and nothing before", async () => {
    const held = { ...service("a", asking("10.96.2.2", 30200)), metadata: { name: "a", finalizers: ["test/held"] } };
    await call(one.api, "POST", SERVICES, held);
    await call(one.api, "DELETE", `${SERVICES}/a`);
    expect([await addresses(), await ports()]).toEqual([["10.96.2.2"], [30200]]);
    const merge = { type: "application/merge-patch+json" };
    await call(two.api, "PATCH", `${SERVICES}/a`, { metadata: { finalizers: null } }, merge);
    expect([await addresses(), await ports()]).toEqual([[], []]);
  });

  test("what it had reserved when its creation is refused", async () => {
    await create("there");
    const before = [await addresses(), await ports()];
    expect((await create("there")).at("reason")).toBe("AlreadyExists");
    expect((await create("bad", { selector: { "not a label!": "x" } })).status).toBe(422);
    const twice = [
      { name: "a", port: 80 },
      { name: "b", port: 81, nodePort: 99 },
    ];
    expect((await create("half", { ports: twice })).at("message")).toBe(
      'Service "half" is invalid: spec.ports[1].nodePort: Invalid value: 99: provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
    const versioned = { ...service("versioned"), metadata: { name: "versioned", resourceVersion: "1" } };
    expect((await call(one.api, "POST", SERVICES, versioned)).status).toBe(500);
    const ip = await call(one.api, "PUT", `${SERVICES}/there`, service("there", { clusterIP: "10.96.9.9" }));
    expect(ip.at("message")).toContain("may not change once set");
    expect([await addresses(), await ports()]).toEqual(before);
  });
});

test("headless and ExternalName services get no address", async () => {
  await create("headless", { type: "ClusterIP", clusterIP: "None" });
  await call(one.api, "POST", SERVICES, {
    metadata: { name: "x" },
    spec: { type: "ExternalName", externalName: "x.io" },
  });
  expect(await addresses()).toEqual([]);
});

test("ports of two protocols with one number share a node port", async () => {
  const dns = [
    { name: "udp", port: 53, protocol: "UDP" },
    { name: "tcp", port: 53, protocol: "TCP" },
  ];
  const answer = await create("dns", { ports: dns });
  expect(answer.at("spec.ports.0.nodePort")).toBe(answer.at("spec.ports.1.nodePort"));
  expect(await ports()).toHaveLength(1);
  await call(one.api, "DELETE", `${SERVICES}/dns`);
  expect(await ports()).toEqual([]);
});

test("a load balancer service with local traffic policy has a health check port, while it keeps that policy", async () => {
  const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", allocateLoadBalancerNodePorts: false };
  const balancer = await create("lb", local);
  const port = balancer.at("spec.healthCheckNodePort");
  expect([await ports(), balancer.at("spec.ports.0.nodePort")]).toEqual([[port], undefined]);
  expect((await call(one.api, "PUT", `${SERVICES}/lb`, service("lb", local))).at("spec.healthCheckNodePort")).toBe(
    port,
  );
  const other = service("lb", { ...local, healthCheckNodePort: 32000 });
  expect((await call(one.api, "PUT", `${SERVICES}/lb`, other)).at("message")).toBe(
    'Service "lb" is invalid: spec.healthCheckNodePort: Forbidden: field is immutable',
  );
  const cluster = service("lb", { ...local, externalTrafficPolicy: "Cluster" });
  const changed = await call(one.api, "PUT", `${SERVICES}/lb`, cluster);
  expect([await ports(), changed.at("spec.healthCheckNodePort")]).toEqual([[], undefined]);
});

describe("a dry run of a service", () => {
  test("writes nothing and answers with addresses and ports that nobody can have", async () => {
    const before = await kv.currentRevision();
    const created = await create(
      "dry",
      {
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 81 },
        ],
      },
      one,
      "?dryRun=All",
    );
    expect(created.status).toBe(201);
    expect(created.at("spec.clusterIPs")).toEqual(["10.96.0.0"]);
    expect([0, 1].map((index) => created.at(`spec.ports.${index}.nodePort`))).toEqual([32769, 32770]);
    expect(await kv.currentRevision()).toBe(before);
  });

  test("that changes or deletes it frees nothing", async () => {
    await create("real", asking("10.96.5.6", 30081));
    const before = await kv.currentRevision();
    const moved = service("real", asking("10.96.5.6", 30082));
    expect((await call(one.api, "PUT", `${SERVICES}/real?dryRun=All`, moved)).status).toBe(200);
    expect((await call(one.api, "DELETE", `${SERVICES}/real?dryRun=All`)).status).toBe(200);
    expect(await kv.currentRevision()).toBe(before);
  });

  test("checks whether a port is allocated, but not an address", async () => {
    await create("real", asking("10.96.5.6", 30081));
    expect((await create("dry", asking("10.96.5.6", 30082), one, "?dryRun=All")).status).toBe(201);
    expect((await create("dry", asking("10.96.5.7", 30081), one, "?dryRun=All")).at("message")).toBe(
      'Service "dry" is invalid: spec.ports[0].nodePort: Invalid value: 30081: provided port is already allocated',
    );
    expect((await create("dry", { clusterIP: "10.0.0.1" }, one, "?dryRun=All")).at("message")).toBe(
      'Service "dry" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: the provided IP (10.0.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
    );
  });
});

describe("when nothing is left", () => {
  test("of the addresses, a service is refused and keeps no port", async () => {
    await close();
    await open("10.200.0.0/29");
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create(`s${index}`, {}, index % 2 === 0 ? one : two)),
    );
    const given = answers.filter(({ status }) => status === 201).map((answer) => answer.at("spec.clusterIP") as string);
    expect(given.sort()).toEqual([1, 2, 3, 4, 5, 6].map((host) => `10.200.0.${host}`));
    const [refused] = answers.filter(({ status }) => status !== 201);
    expect([refused?.status, refused?.at("reason"), refused?.at("message")]).toEqual([
      500,
      "InternalError",
      "Internal error occurred: failed to allocate a serviceIP: range is full",
    ]);
    expect(await ports()).toHaveLength(6);
  });

  test("of the ports, a service is refused and keeps no address; the lowest ports are given last", async () => {
    const all = Array.from({ length: 2768 }, (_, index) => NODE_PORTS.first + index);
    await one.nodePorts.write(all.slice(1), (await one.nodePorts.read()).version);
    expect((await create("last")).at("spec.ports.0.nodePort")).toBe(30000);
    const refused = await create("none");
    expect([refused.status, refused.at("message")]).toEqual([
      500,
      "Internal error occurred: failed to allocate a nodePort: range is full",
    ]);
    expect(await addresses()).toHaveLength(1);
  });
});

test("no port is allocated while the allocated ones are unknown", async () => {
  const { kv: stored } = await kv.get("/registry/ranges/servicenodeports");
  await kv.delete("/registry/ranges/servicenodeports", stored?.revision ?? 0);
  expect((await create("early")).at("message")).toBe(
    "Internal error occurred: failed to allocate a nodePort: cannot allocate resources of type servicenodeportallocations at this time",
  );
  expect((await create("inner", { type: "ClusterIP" })).status).toBe(201);
});

test("addresses are allocated from every existing ServiceCIDR", async () => {
  await close();
  await open("10.200.0.0/30");
  await call(one.api, "POST", "/apis/networking.k8s.io/v1/servicecidrs", {
    metadata: { name: "more" },
    spec: { cidrs: ["10.201.0.0/30"] },
  });
  const answers = [await create("a"), await create("b"), await create("c"), await create("d")];
  expect(answers.map((answer) => answer.at("spec.clusterIP") as string).sort()).toEqual([
    "10.200.0.1",
    "10.200.0.2",
    "10.201.0.1",
    "10.201.0.2",
  ]);
});
