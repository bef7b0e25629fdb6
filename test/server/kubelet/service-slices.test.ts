import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import { type AdmittingServer, admittingServer, done } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";

// K37-113: services/proxy of 1.37 looks for endpoints in EndpointSlices, and that of 1.36 in Endpoints.

const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];

const CORE = "/api/v1/namespaces/default";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

let backend: Server;
const servers = new Map<Version, AdmittingServer>();

beforeAll(async () => {
  backend = createServer((request, response) => response.end(`${request.url}`));
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  for (const version of VERSIONS) {
    const release = await releaseOf(version);
    const server = await admittingServer({}, undefined, undefined, { network: { dial }, release });
    servers.set(version, server);
    await prepare(server);
  }
});

afterAll(async () => {
  for (const server of servers.values()) await server[Symbol.asyncDispose]();
  backend.closeAllConnections();
  backend.close();
});

const dialled: string[] = [];
function dial(ip: string, port: number): Promise<Socket> {
  dialled.push(`${ip}:${port}`);
  return Promise.resolve(connect((backend.address() as AddressInfo).port, "127.0.0.1"));
}

async function prepare({ api }: AdmittingServer): Promise<void> {
  for (const [name, podIP] of [
    ["ready", "10.1.0.1"],
    ["unready", "10.1.0.2"],
  ] as const) {
    const containers = [{ name: "c", image: "i" }];
    await done(api, "POST", `${CORE}/pods`, { metadata: { name }, spec: { containers } });
    const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }] };
    await done(api, "PATCH", `${CORE}/pods/${name}/status`, { status }, "application/merge-patch+json");
  }
  // A path that names no port means the one without a name.
  const ports = [{ port: 80, targetPort: 8080 }];
  for (const name of ["web", "other", "idle"]) {
    await done(api, "POST", `${CORE}/services`, { metadata: { name }, spec: { clusterIP: "None", ports } });
  }
  const target = (name: string) => ({ kind: "Pod", name, namespace: "default" });
  const slice = (service: string, endpoints: readonly object[]) =>
    done(api, "POST", SLICES, {
      metadata: { name: `${service}-1`, labels: { "kubernetes.io/service-name": service } },
      addressType: "IPv4",
      ports: [{ port: 8080 }],
      endpoints,
    });
  const ready = { addresses: ["10.1.0.1"], targetRef: target("ready"), conditions: { ready: true } };
  const unready = { addresses: ["10.1.0.2"], targetRef: target("unready"), conditions: { ready: false } };
  await slice("web", [unready, ready]);
  await slice("idle", [unready]);
  const subsets = [{ addresses: [{ ip: "10.1.0.1", targetRef: target("ready") }], ports: [{ port: 8080 }] }];
  await done(api, "POST", `${CORE}/endpoints`, { metadata: { name: "other" }, subsets });
}

const ask = (version: Version, service: string) =>
  call((servers.get(version) as AdmittingServer).api, "GET", `${CORE}/services/${service}/proxy/page`);

test.each([
  ["1.36", "other", "web", 404],
  ["1.37", "web", "other", 503],
] as const)(
  "the service proxy in %s uses for a pod of another service %s, not %s: %i",
  async (version, reached, other, status) => {
    dialled.length = 0;
    const answer = await ask(version, reached);
    expect([answer.status, answer.text]).toEqual([200, "/page"]);
    expect(dialled).toEqual(["10.1.0.1:8080"]);
    expect((await ask(version, other)).status).toBe(status);
  },
);

test.each(["idle", "web:none"])("the service proxy in 1.37 finds no ready endpoint for %s", async (service) => {
  const answer = await ask("1.37", service);
  expect(answer.status).toBe(503);
  expect(answer.at("message")).toBe(`no endpoints available for service "${service.split(":")[0]}"`);
});
