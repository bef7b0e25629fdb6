/** A program that closes a cluster without a socket while nobody reads the answer to a list. Prints "closed" behind that. */
import { writeSync } from "node:fs";
import { startCluster } from "../../src/cluster/index.js";

const cluster = await startCluster({ port: false });
const transport = cluster.transport();
const headers = { "content-type": "application/json" };
for (let n = 0; n < 6; n++) {
  const body = Buffer.from(JSON.stringify({ metadata: { name: `map-${n}` }, data: { text: "x".repeat(100_000) } }));
  const path = "/api/v1/namespaces/default/configmaps";
  const made = await transport.send({ method: "POST", path, headers, body });
  for await (const _ of made.body);
}
await transport.send({ method: "GET", path: "/api/v1/configmaps", headers: {} });
await cluster.close();
writeSync(1, "closed");
