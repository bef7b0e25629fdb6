import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { requestHead, tlsSocket } from "../../helpers/tls-socket.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  const data = { text: "x".repeat(900_000) };
  for (let index = 0; index < 12; index++) {
    await call(cluster.transport(), "POST", MAPS, { metadata: { name: `map-${index}` }, data });
  }
});

afterAll(() => cluster.close());

test("a long body that comes while a long answer is still on its way is read", async () => {
  const socket = await tlsSocket(cluster);
  const body = JSON.stringify({ metadata: { name: "long" }, data: { text: "y".repeat(200_000) } });
  let received = "";
  socket.write(requestHead(cluster, `GET ${MAPS}`));
  const [first] = (await once(socket, "data")) as [Buffer];
  received += first.toString("latin1");
  // The answer is larger than what a network holds: it stands in the server while this end reads nothing.
  socket.pause();
  const post = requestHead(
    cluster,
    `POST ${MAPS}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
  );
  socket.write(post + body);
  await call(cluster.transport(), "GET", MAPS);
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1"))).resume();
  await once(socket, "close");
  expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 201"]);
});
