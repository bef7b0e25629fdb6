// A day of a cluster on a manual clock, in a process of its own: a CronJob runs each minute, with its Jobs and pods on one node. No socket,
// memory storage. Sends what the day took, how many writes there were, and a hash of every object at its end.
//   node day.mjs DURATION      ("24h")
import { createHash } from "node:crypto";
import { resolve } from "node:path";

const dist = (file) => import(resolve(import.meta.dirname, "../../dist", file));
const { manualClock, seededRandom, startCluster } = await dist("cluster.js");
const { kubernetesClient } = await dist("index.js");

const start = { port: false, clock: manualClock(), random: seededRandom("day"), nodes: [{ name: "node" }] };
const cluster = await startCluster(start);
const client = kubernetesClient(cluster);
const container = { name: "tick", image: "example.org/tick:1", command: ["true"] };
await client
  .of("batch/v1", "CronJob")
  .namespace("default")
  .create({
    metadata: { name: "tick" },
    spec: {
      schedule: "* * * * *",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
    },
  });
const [before, cpuBefore] = [performance.now(), process.cpuUsage()];
await cluster.clock.advance(process.argv[2]);
const took = performance.now() - before;
const { user, system } = process.cpuUsage(cpuBefore);

const hash = createHash("sha256");
let writes = 0;
const get = async (path) => (await client.rest.request({ method: "GET", path })).json();
for (const path of await lists()) {
  const { metadata, items } = await get(path);
  writes = Math.max(writes, Number(metadata.resourceVersion) || 0);
  hash.update(path).update(JSON.stringify(items));
}
await client.close();
await cluster.close();
process.send({ took, cpu: (user + system) / 1000, writes, hash: hash.digest("hex") });
process.on("disconnect", () => process.exit(0));

/** The paths of all resources that can be listed. */
async function lists() {
  const { groups } = await get("/apis");
  const roots = ["/api/v1", ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const found = await Promise.all(
    roots.map(async (root) =>
      (await get(root)).resources
        .filter(({ name, verbs }) => !name.includes("/") && verbs.includes("list"))
        .map(({ name }) => `${root}/${name}`),
    ),
  );
  return found.flat();
}
