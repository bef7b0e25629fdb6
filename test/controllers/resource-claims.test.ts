import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Pod } from "../../src/api/types/core/v1.js";
import type { ResourceClaim } from "../../src/api/types/resource/v1.js";
import type { Stored } from "../../src/client/dynamic/stored.js";
import { kubernetesClient, type KubernetesClient } from "../../src/client/dynamic/kubernetes-client.js";
import { SharedInformer } from "../../src/client/informers/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { MadeClaims } from "../../src/controllers/resource-claim/made-claims.js";
import { generatedClaim } from "../../src/controllers/resource-claim/pod-claims.js";
import { eventually } from "../helpers/eventually.js";
import { FixedClock } from "../helpers/fixed-clock.js";

const ENTRY = { name: "gpu", resourceClaimTemplateName: "gpus" };
const podWith = (uid: string): Pod => ({ metadata: { name: "p", namespace: "default", uid } });
const TEMPLATE = { spec: { spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } } } };

let cluster: Cluster;
let client: KubernetesClient;
beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false, scheduler: false });
  client = kubernetesClient({ transport: () => cluster.transport() });
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

const claims = () => client.of("resource.k8s.io/v1", "ResourceClaim").namespace("default");
const make = (pod: Pod) => claims().create(generatedClaim(pod, ENTRY, TEMPLATE));

test("the controller remembers a claim that the informer has not shown for a minute, so that a pod gets no second claim", async () => {
  const clock = new FixedClock(Date.parse("2026-01-01T00:00:00Z"));
  const made = new MadeClaims(new SharedInformer<Stored<ResourceClaim>>(claims()), clock);
  const pod = podWith("unseen");
  expect(made.madeFor(pod, ENTRY)).toBeUndefined();
  const claim = await make(pod);
  made.add(claim);
  clock.advance(60_000);
  expect(made.madeFor(pod, ENTRY)).toBe(claim);
  expect(made.madeFor(podWith("another"), ENTRY)).toBeUndefined();
  expect(made.madeFor(pod, { ...ENTRY, name: "another" })).toBeUndefined();
  clock.advance(1);
  expect(made.madeFor(pod, ENTRY)).toBeUndefined();
});

test("the controller counts a claim that the informer has shown as the pod's until its deletion is shown", async () => {
  const informer = new SharedInformer<Stored<ResourceClaim>>(claims());
  const made = new MadeClaims(informer, new FixedClock(0));
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  onTestFinished(async () => {
    ending.abort();
    await running;
  });
  await informer.synced;
  const pod = podWith("seen");
  const claim = await make(pod);
  made.add(claim);
  await eventually(() => expect(informer.cache.get(`default/${claim.metadata.name}`)).toBeDefined());
  expect(made.madeFor(pod, ENTRY)?.metadata.name).toBe(claim.metadata.name);
  await claims().delete(claim.metadata.name);
  await eventually(() => expect(made.madeFor(pod, ENTRY)).toBeUndefined());
});
