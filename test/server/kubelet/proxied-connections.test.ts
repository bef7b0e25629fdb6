import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesClient, waitFor } from "../../../src/index.js";
import { type Cluster, httpPort, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";
import { requestHead, tlsSocket } from "../../helpers/tls-socket.js";

const PROXY = "/api/v1/namespaces/default/pods/web:80/proxy";
/** More than the pod's connection and the sockets on the way hold. */
const BODY = Buffer.alloc(4 * 1024 * 1024);

let cluster: Cluster;

beforeAll(async () => {
  const app = httpPort((request, response) => {
    if (request.url === "/here") return void response.writeHead(302, { location: "https://api.test/login" }).end();
    response.writeHead(413, { connection: "close" }).end("too large");
  });
  cluster = await startCluster({ nodes: [{ name: "node-1", images: { app: { ports: { 80: app } } } }] });
  const client = kubernetesClient(cluster);
  const pods = client.of("v1", "Pod").namespace("default");
  await pods.create({ metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "app" }] } });
  await waitFor(pods, "web", ({ status }) => status?.containerStatuses?.[0]?.ready === true);
  await client.close();
});

afterAll(() => cluster.close());

test.each([
  ["has answered before it had the body", `${PROXY}/early`, "413"],
  ["cannot be reached", PROXY.replace(":80", ":81"), "503"],
])("a connection can carry the next request after one to a backend that %s", async (_, path, status) => {
  const socket = await tlsSocket(cluster);
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  const statuses = (): readonly (string | undefined)[] =>
    [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => code);
  socket.write(requestHead(cluster, `POST ${path}/`, `Content-Length: ${BODY.length}`));
  socket.write(BODY);
  await eventually(async () => expect(statuses()).toEqual([status]));
  socket.write(requestHead(cluster, "GET /version"));
  await eventually(async () => expect(statuses()).toEqual([status, "200"]));
  socket.destroy();
});

test("over HTTP/2 the proxy rewrites a redirect to the requested host so that it leads through the proxy", async () => {
  const session = connectHttp2(cluster.url, { ca: cluster.caCertificate });
  const request = session.request({
    ":path": `${PROXY}/here`,
    ":authority": "api.test",
    authorization: `Bearer ${cluster.token}`,
  });
  const [headers] = (await once(request, "response")) as [IncomingHttpHeaders];
  expect([headers[":status"], headers["location"]]).toEqual([302, `https://api.test${PROXY}/login`]);
  request.resume();
  await once(request, "close");
  session.close();
});
