import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const SERVICES = "/api/v1/namespaces/default/services";

const service = (name: string, clusterIP?: string, nodePort?: number) => ({
  metadata: { name },
  spec: {
    type: "NodePort",
    ...(clusterIP !== undefined && { clusterIP }),
    ports: [{ port: 80, ...(nodePort !== undefined && { nodePort }) }],
  },
});

test("an address and a node port are free as soon as their service is gone", async () => {
  for (let round = 0; round < 3; round++) {
    expect((await call(api, "POST", SERVICES, service("again", "10.96.5.5", 30080))).status).toBe(201);
    expect((await call(api, "DELETE", `${SERVICES}/again`)).status).toBe(200);
  }
});

test("a dry run takes neither", async () => {
  const wanted = service("dry", "10.96.5.6", 30081);
  expect((await call(api, "POST", `${SERVICES}?dryRun=All`, wanted)).status).toBe(201);
  expect((await call(api, "POST", SERVICES, wanted)).status).toBe(201);
  const moved = service("dry", "10.96.5.6", 30082);
  expect((await call(api, "PUT", `${SERVICES}/dry?dryRun=All`, moved)).status).toBe(200);
  expect((await call(api, "POST", SERVICES, service("other", undefined, 30082))).status).toBe(201);
});

test("of many that ask for the same at once one gets it, and what is chosen for others differs", async () => {
  const same = Array.from({ length: 10 }, (_, index) =>
    call(api, "POST", SERVICES, service(`same-${index}`, "10.96.7.7", 30100)),
  );
  const any = Array.from({ length: 30 }, (_, index) => call(api, "POST", SERVICES, service(`any-${index}`)));
  const statuses = (await Promise.all(same)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  const given = await Promise.all(any);
  expect(new Set(given.map((one) => one.at("spec.clusterIP"))).size).toBe(30);
  expect(new Set(given.map((one) => one.at("spec.ports.0.nodePort"))).size).toBe(30);
});
