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

test("the server reads a long request body while a long answer is still being sent", async () => {
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

test("a pipelined request begins when the answer before it is sent, and never when the connection ends before", async () => {
  const post = (name: string, ...more: string[]): string => {
    const body = JSON.stringify({ metadata: { name } });
    return `${requestHead(cluster, `POST ${MAPS}`, "Content-Type: application/json", `Content-Length: ${body.length}`, ...more)}${body}`;
  };
  const inOrder = await tlsSocket(cluster);
  let received = "";
  inOrder.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  inOrder.write(post("piped") + requestHead(cluster, `GET ${MAPS}/piped`, "Connection: close"));
  await once(inOrder, "close");
  expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 201", "HTTP/1.1 200"]);
  const cut = await tlsSocket(cluster);
  cut.write(requestHead(cluster, `GET ${MAPS}?watch=true&resourceVersion=0`) + post("never"));
  await once(cut, "data");
  for (let count = 0; count < 20; count++) {
    expect((await call(cluster.transport(), "GET", `${MAPS}/never`)).status).toBe(404);
  }
  cut.destroy();
  await once(cut, "close");
  expect((await call(cluster.transport(), "GET", `${MAPS}/never`)).status).toBe(404);
});
