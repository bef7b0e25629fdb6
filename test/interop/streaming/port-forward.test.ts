import type { ChildProcess } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request, type RequestListener } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, httpPort, startCluster } from "../../../src/cluster/index.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl port-forward is skipped: ${missing}\n`);

const LARGE = randomBytes(30_000_001);
const CONNECTIONS = 100;

const sumOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** GET answers with large random bytes; what is posted comes back as it came. */
const web: RequestListener = (incoming, response) => {
  if (incoming.method === "POST") incoming.pipe(response);
  else response.end(LARGE);
};

describe.skipIf(missing !== undefined).each([
  ["WebSockets", {}],
  ["SPDY", { KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" }],
])("kubectl port-forward of an HTTP server, over %s", (_, env) => {
  let cluster: Cluster;
  let kubectl: RealKubectl;
  let forward: ChildProcess;
  let port: number;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: [{ name: "node", images: { web: { ports: { 8080: httpPort(web) } } } }] });
    kubectl = await realKubectl(cluster, env);
    await kubectl.ok("run web --image=web --port=8080 --expose");
    await kubectl.ok("wait pod/web --for=condition=Ready");
    forward = kubectl.start("port-forward service/web :8080 --address=127.0.0.1");
    const [line] = (await once(forward.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    port = Number(/^Forwarding from 127\.0\.0\.1:(\d+) -> 8080\n/.exec(String(line))?.[1]);
    forward.stdout?.resume();
  });
  afterAll(async () => {
    forward?.kill();
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  /** Each request on a connection of its own, unless it has an agent. */
  async function send(method: string, body: Uint8Array = new Uint8Array(), agent?: Agent): Promise<Buffer> {
    const outgoing = request({
      host: "127.0.0.1",
      port,
      method,
      ...(agent === undefined ? { agent: false } : { agent }),
    });
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  test("receives a large binary body completely", async () => {
    expect(sumOf(await send("GET"))).toBe(sumOf(LARGE));
  });

  test("sends and receives a large binary body at the same time", async () => {
    expect(sumOf(await send("POST", LARGE))).toBe(sumOf(LARGE));
  });

  test("carries a hundred connections at once, each with its own answer", async () => {
    const bodies = Array.from({ length: CONNECTIONS }, (_, index) => randomBytes(10_000 + index));
    const answers = await Promise.all(bodies.map((body) => send("POST", body)));
    expect(answers.map(sumOf)).toEqual(bodies.map(sumOf));
  });

  test("carries several requests on one connection", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const text of ["one", "two", "three"]) {
      expect(String(await send("POST", Buffer.from(text), agent))).toBe(text);
    }
    agent.destroy();
  });
});
