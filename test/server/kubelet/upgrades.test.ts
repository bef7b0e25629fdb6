import { createServer, type Server } from "node:https";
import { type AddressInfo } from "node:net";
import { request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { kubeletCertificate } from "../../helpers/kubelet-certificate.js";
import { done } from "../../helpers/admitting-server.js";
import { eventually } from "../../helpers/eventually.js";

const PODS = "/api/v1/namespaces/default/pods";
const LARGE = 24 * 1024 * 1024;

/** What a kubelet saw of an upgrade. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly client: string;
  readonly socket: Duplex;
}

let cluster: Cluster;
let kubelet: Server;
const seen: Seen[] = [];

beforeAll(async () => {
  const { certificate, key } = kubeletCertificate();
  kubelet = createServer({ cert: certificate, key, requestCert: true, rejectUnauthorized: false }, (_, response) =>
    response.end("no upgrade"),
  );
  kubelet.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { method = "", url = "", headers } = request;
    const client = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? "";
    seen.push({ method, url, headers, client: String(client), socket });
    socket.on("error", () => {});
    const [, , , , container = ""] = new URL(url, "https://kubelet").pathname.split("/");
    if (container === "refused") {
      socket.end(
        "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 9\r\nX-Why: so\r\n\r\nnot today",
      );
      return;
    }
    if (container === "deaf") {
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Own: yes\r\n\r\n");
    if (container === "large") socket.end(Buffer.alloc(LARGE, "x"));
    else {
      socket.write(head);
      socket.pipe(socket);
    }
  });
  await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
  cluster = await startCluster();
  const api = cluster.transport();
  const { port } = kubelet.address() as AddressInfo;
  for (const [name, Port] of [
    ["node", port],
    ["gone", 1],
  ] as const) {
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port } },
    };
    await done(api, "POST", "/api/v1/nodes", { metadata: { name }, status });
  }
  for (const [name, nodeName, containers] of [
    ["web", "node", ["c", "refused", "deaf", "large"]],
    ["one", "node", ["c"]],
    ["lost", "gone", ["c"]],
    ["unbound", undefined, ["c"]],
  ] as const) {
    const spec = { nodeName, containers: containers.map((container) => ({ name: container, image: "i" })) };
    await done(api, "POST", PODS, { metadata: { name }, spec });
  }
});

afterAll(async () => {
  await cluster.close();
  kubelet.closeAllConnections();
  kubelet.close();
});

type Outcome =
  | { readonly status: 101; readonly headers: IncomingMessage["headers"]; readonly socket: Duplex }
  | { readonly status: number; readonly headers: IncomingMessage["headers"]; readonly body: string };

function send(path: string, { method = "POST", headers = {} as Record<string, string> } = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(new URL(path, cluster.url), {
      method,
      ca: cluster.caCertificate,
      agent: false,
      headers: { authorization: `Bearer ${cluster.token}`, connection: "Upgrade", upgrade: "SPDY/3.1", ...headers },
    });
    request.on("upgrade", (answer, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ status: 101, headers: answer.headers, socket });
    });
    request.on("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    request.on("error", reject);
    request.end();
  });
}

async function opened(path: string, options = {}): Promise<{ socket: Duplex; headers: IncomingMessage["headers"] }> {
  const outcome = await send(path, options);
  if (!("socket" in outcome)) throw new Error(`${outcome.status} ${outcome.body}`);
  return outcome;
}

describe("an upgraded connection that the server passes to a kubelet", () => {
  test.each([
    [
      "exec",
      `${PODS}/one/exec?command=ls&command=-l&stdout=true&stderr=1&stdin=false`,
      "/exec/default/one/c?command=ls&command=-l&error=1&output=1",
    ],
    [
      "exec of a named container",
      `${PODS}/web/exec?container=c&command=sh&tty=true&stdin=true`,
      "/exec/default/web/c?command=sh&input=1&tty=1",
    ],
    ["attach", `${PODS}/one/attach?stdout=true&command=x`, "/attach/default/one/c?output=1"],
    ["portforward", `${PODS}/one/portforward`, "/portForward/default/one"],
    ["portforward with ports", `${PODS}/one/portforward?ports=80&ports=81`, "/portForward/default/one?port=80%2C81"],
  ])("for %s has the kubelet's own form of the options", async (_, path, url) => {
    const { socket } = await opened(path);
    expect(seen.at(-1)).toMatchObject({ url, method: "POST", client: "kube-apiserver-kubelet-client" });
    socket.destroy();
  });

  test("carries bytes both ways and the headers of both, but no credentials", async () => {
    const { socket, headers } = await opened(`${PODS}/one/exec`, {
      headers: { "x-stream-protocol-version": "v4.channel.k8s.io" },
    });
    expect(headers).toMatchObject({ "x-own": "yes", upgrade: "SPDY/3.1" });
    expect(seen.at(-1)?.headers).toMatchObject({
      "x-stream-protocol-version": "v4.channel.k8s.io",
      "x-forwarded-for": "127.0.0.1",
    });
    expect(seen.at(-1)?.headers).not.toHaveProperty("authorization");
    socket.write("ping");
    expect(String(await new Promise((resolve) => socket.once("data", resolve)))).toBe("ping");
    socket.destroy();
  });

  test("ends at the kubelet when the client disconnects, and the reverse", async () => {
    const first = await opened(`${PODS}/one/exec`);
    const kept = seen.at(-1)?.socket;
    first.socket.destroy();
    await eventually(async () => expect(kept?.destroyed).toBe(true));
    const second = await opened(`${PODS}/one/exec`);
    const closed = new Promise((resolve) => second.socket.once("close", resolve));
    second.socket.resume();
    seen.at(-1)?.socket.destroy();
    await closed;
  });

  test("delivers everything that the kubelet wrote before it closed, to a slow client too", async () => {
    const { socket } = await opened(`${PODS}/web/exec?container=large`);
    let length = 0;
    for await (const chunk of socket) {
      length += (chunk as Buffer).length;
      if (length % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(length).toBe(LARGE);
  });
});

describe("an upgraded connection fails for", () => {
  const messageOf = async (path: string, options = {}): Promise<readonly [number, string]> => {
    const outcome = await send(path, options);
    if (!("body" in outcome)) throw new Error("it was upgraded");
    return [outcome.status, (JSON.parse(outcome.body) as { message: string }).message];
  };

  test.each<readonly [string, string, number, string]>([
    ["a pod that there is not", `${PODS}/nobody/exec`, 404, 'pods "nobody" not found'],
    ["a pod on no node", `${PODS}/unbound/exec`, 400, "pod unbound does not have a host assigned"],
    ["a container that there is not", `${PODS}/one/exec?container=x`, 400, "container x is not valid for pod one"],
    [
      "a choice of containers",
      `${PODS}/web/attach`,
      400,
      "a container name must be specified for pod web, choose one of: [c refused deaf large]",
    ],
    [
      "a kubelet that is not there",
      `${PODS}/lost/exec`,
      500,
      "error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused",
    ],
    [
      "a kubelet that answers something else",
      `${PODS}/web/exec?container=deaf`,
      500,
      "invalid upgrade response: status code 200",
    ],
  ])("%s", async (_, path, status, message) => {
    expect(await messageOf(path)).toEqual([status, message]);
  });

  test("a request without another protocol", async () => {
    expect(await messageOf(`${PODS}/one/exec`, { headers: { connection: "close", upgrade: "" } })).toEqual([
      400,
      "Upgrade request required",
    ]);
  });

  test("a refusal of the kubelet, which the client receives", async () => {
    const outcome = await send(`${PODS}/web/exec?container=refused`);
    expect(outcome).toMatchObject({ status: 403, body: "not today", headers: { "x-why": "so" } });
  });
});
