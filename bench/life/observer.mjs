// A client in a process of its own: follows all pods, notes when each was bound and ready, and measures beside it what a get of a
// ConfigMap and the event of its change take. Times are milliseconds of its own clock.
//   node observer.mjs KUBECONFIG      (its text)
import { resolve } from "node:path";

const { configFromText, InformerFactory, kubernetesClient } = await import(
  resolve(import.meta.dirname, "../../dist/index.js")
);
const client = kubernetesClient(await configFromText(process.argv[2]));
const maps = client.of("v1", "ConfigMap").namespace("default");
const PROBE = "probe";
const PERIOD_MS = 50;

/** By name: when the pod was first seen bound and ready. */
let [bound, ready] = [new Map(), new Map()];
let probes = { get: [], watch: [] };
/** What interrupted the watch of pods. */
let faults = [];

followPods();
await maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: PROBE }, data: { at: "0" } });
void followProbe();
void probe();

const operations = {
  /** Forgets what was seen. */
  reset() {
    [bound, ready] = [new Map(), new Map()];
    probes = { get: [], watch: [] };
    faults = [];
    return { now: performance.now() };
  },
  /** Creates a Deployment. */
  async deploy({ name, replicas }) {
    await client.of("apps/v1", "Deployment").namespace("default").create(deployment(name, replicas));
    return {};
  },
  /** Changes what its pods run. */
  async rollOut({ name }) {
    const template = { metadata: { annotations: { changed: "yes" } } };
    const deployments = client.of("apps/v1", "Deployment").namespace("default");
    await deployments.patch(name, { spec: { template } }, { type: "merge" });
    for (;;) {
      const { metadata, spec, status = {} } = await deployments.get(name);
      const { observedGeneration, updatedReplicas, availableReplicas, replicas } = status;
      const current = observedGeneration === metadata.generation;
      if (current && [updatedReplicas, availableReplicas, replicas].every((count) => count === spec.replicas))
        return {};
      await pause(200);
    }
  },
  /** Waits until so many pods have been bound and ready since the reset. */
  async count({ pods }) {
    while (ready.size < pods) await pause(20);
    const times = (seen) => [...seen.values()].toSorted((a, b) => a - b);
    return { now: performance.now(), bound: times(bound), ready: times(ready), probes, faults };
  },
};
process.on("message", async ({ op, ...options }) => process.send(await operations[op](options)));
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });

/** By an informer: one that falls behind the server's history lists again and goes on. */
function followPods() {
  const informers = new InformerFactory(client, { onFault: ({ error }) => faults.push(String(error)) });
  const see = (pod) => {
    const { name } = pod.metadata;
    const now = performance.now();
    if (pod.spec.nodeName !== undefined && !bound.has(name)) bound.set(name, now);
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    if (isReady && !ready.has(name)) ready.set(name, now);
  };
  informers.of("v1", "Pod").addHandler({ added: see, updated: (_before, pod) => see(pod) });
  informers.start(new AbortController().signal);
}

async function followProbe() {
  for (;;) {
    try {
      for await (const { type, object } of maps.watch({ fieldSelector: "metadata.name=probe" })) {
        if (type === "MODIFIED") probes.watch.push(performance.now() - Number(object.data.at));
      }
    } catch (error) {
      faults.push(String(error));
    }
  }
}

async function probe() {
  for (;;) {
    const before = performance.now();
    await maps.get(PROBE);
    probes.get.push(performance.now() - before);
    const body = { data: { at: String(performance.now()) } };
    await maps.patch(PROBE, body, { type: "merge" });
    await pause(PERIOD_MS);
  }
}

function deployment(name, replicas) {
  const resources = { requests: { cpu: "100m", memory: "100Mi" } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "main", image: "example.org/web:1", resources }],
        },
      },
    },
  };
}

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}
