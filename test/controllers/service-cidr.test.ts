import { afterEach, beforeEach, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type PathApi, pathApi } from "../helpers/path-api.js";
import { isNotFound } from "../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { FixedClock } from "../helpers/fixed-clock.js";

const CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const SERVICES = "/api/v1/namespaces/default/services";

let clock: FixedClock;
let cluster: Cluster;
let api: PathApi;

beforeEach(async () => {
  clock = new FixedClock(Date.UTC(2026, 0, 1));
  cluster = await startCluster({ port: false, clock });
  api = pathApi(cluster.transport(), "test");
});
afterEach(() => cluster.close());

/** Asks until the answer is yes; the test's own timeout ends a wait for what does not come. */
async function until(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const condition = (cidr: KubeObject) =>
  (cidr["status"] as { conditions?: { type: string; status: string; reason: string; message: string }[] } | undefined)
    ?.conditions?.[0];

const create = (name: string, clusterIP?: string): Promise<KubeObject> =>
  api.create(SERVICES, {
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...(clusterIP !== undefined && { clusterIP }) },
  });

test("a new cluster has a ready ServiceCIDR, and an address of it for the API server's Service", async () => {
  const cidr = await api.get(`${CIDRS}/kubernetes`);
  expect(cidr["spec"]).toEqual({ cidrs: ["10.96.0.0/12"] });
  expect(cidr.metadata?.finalizers).toEqual(["networking.k8s.io/service-cidr-finalizer"]);
  expect(cidr["status"]).toEqual({
    conditions: [
      {
        type: "Ready",
        status: "True",
        reason: "",
        message: "Kubernetes Service CIDR is ready",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  });
  const addresses = (await api.list(ADDRESSES)).items.map(({ metadata }) => metadata?.name);
  expect(addresses).toEqual(["10.96.0.1"]);
});

test("a deleted ServiceCIDR with addresses in use stays, but gives no further ones", async () => {
  await api.delete(`${CIDRS}/kubernetes`);
  await until(async () => condition(await api.get(`${CIDRS}/kubernetes`))?.status === "False");
  expect(condition(await api.get(`${CIDRS}/kubernetes`))).toMatchObject({
    reason: "Terminating",
    message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
  });
  await expect(create("none")).rejects.toThrow("failed to allocate a serviceIP: range is full");
  await expect(create("none", "10.96.4.4")).rejects.toThrow("the provided network does not match the current range");
  await api.create(CIDRS, { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/24"] } });
  expect((await create("some"))["spec"]).toMatchObject({ clusterIP: expect.stringMatching(/^10\.200\.0\./) as string });
});

test("a deleted ServiceCIDR without addresses in use is removed after ten seconds; the cluster's own is created again", async () => {
  await api.create(CIDRS, { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/24"] } });
  await until(async () => condition(await api.get(`${CIDRS}/more`))?.status === "True");
  await api.delete(`${CIDRS}/more`);
  expect((await api.get(`${CIDRS}/more`)).metadata?.deletionTimestamp).toBeDefined();
  clock.advance(10_000);
  const gone = async (name: string) => api.get(`${CIDRS}/${name}`).then(() => false, isNotFound);
  await until(() => gone("more"));

  // A block that holds every address of the other lets it go.
  await api.create(CIDRS, { metadata: { name: "all" }, spec: { cidrs: ["10.0.0.0/8"] } });
  const { metadata } = await api.get(`${CIDRS}/kubernetes`);
  await api.delete(`${CIDRS}/kubernetes`);
  clock.advance(10_000);
  const returned = async (): Promise<boolean> => {
    try {
      return (await api.get(`${CIDRS}/kubernetes`)).metadata?.uid !== metadata?.uid;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  await until(returned);
});

test("a ServiceCIDR that is not a valid block of addresses is refused", async () => {
  const refused = api.create(CIDRS, { metadata: { name: "bad" }, spec: { cidrs: ["10.97.0.0/12"] } });
  await expect(refused).rejects.toThrow(
    'ServiceCIDR.networking.k8s.io "bad" is invalid: spec.cidrs[0]: Invalid value: "10.97.0.0/12": must not have bits set beyond the prefix length',
  );
  const address = api.create(ADDRESSES, { metadata: { name: "web" }, spec: { parentRef: { name: "web" } } });
  await expect(address).rejects.toThrow(
    'IPAddress.networking.k8s.io "web" is invalid: [metadata.name: Invalid value: "web": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), spec.parentRef.resource: Required value]',
  );
});
