import { once } from "node:events";
import { request } from "node:https";
import { Agent, WebSocket as UndiciWebSocket } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.close());

interface Conversation {
  readonly messages: readonly { readonly text: string; readonly binary: boolean }[];
  readonly code: number;
  readonly subprotocol: string;
}

function open(path: string, subprotocols: readonly string[] = [], headers = bearer(cluster)): WebSocket {
  return new WebSocket(cluster.url.replace("https:", "wss:") + path, [...subprotocols], {
    ca: cluster.caCertificate,
    headers,
  });
}

const bearer = ({ token }: Cluster): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Everything the server says, until it closes. */
async function listen(socket: WebSocket): Promise<Conversation> {
  const messages: { text: string; binary: boolean }[] = [];
  socket.on("message", (data: Buffer, binary) => messages.push({ text: data.toString("utf8"), binary }));
  const [code] = (await once(socket, "close")) as [number];
  return { messages, code, subprotocol: socket.protocol };
}

const create = (name: string, more: object = {}) =>
  call(cluster.transport(), "POST", MAPS, { metadata: { name }, ...more });

const typesAndNames = ({ messages }: Conversation) =>
  messages.map(({ text }) => {
    const { type, object } = JSON.parse(text) as { type: string; object: { metadata: { name: string } } };
    return `${type} ${object.metadata.name}`;
  });

describe("a watch as a WebSocket", () => {
  test("sends each event as a text message of one line and closes when its time is up", async () => {
    const socket = open(`${MAPS}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Done`);
    const listening = listen(socket);
    await once(socket, "open");
    await create("one", { data: { key: "ü" } });
    await create("another");
    await call(cluster.transport(), "DELETE", `${MAPS}/one`);
    const heard = await listening;
    expect(heard.code).toBe(1000);
    expect(typesAndNames(heard)).toEqual(["ADDED one", "DELETED one"]);
    expect(heard.messages.map(({ binary }) => binary)).toEqual([false, false]);
    expect(heard.messages[0]?.text).toMatch(/^\{"type":"ADDED","object":\{.*"ü".*\}\}\n$/);
  });

  test("sends each event as a binary message when protobuf is accepted: a frame of the plain watch without its length", async () => {
    const accept = "application/vnd.kubernetes.protobuf;stream=watch";
    const made = await create("binary", { data: { key: "ü" } });
    await call(cluster.transport(), "DELETE", `${MAPS}/binary`);
    const before = Number(made.at("metadata.resourceVersion")) - 1;
    const path = `${MAPS}?watch=true&timeoutSeconds=1&resourceVersion=${before}&fieldSelector=metadata.name%3Dbinary`;
    const socket = open(path, [], { ...bearer(cluster), accept });
    const messages: { readonly data: Buffer; readonly binary: boolean }[] = [];
    socket.on("message", (data: Buffer, binary) => messages.push({ data, binary }));
    await once(socket, "close");
    const response = await cluster.transport().send({ method: "GET", path, headers: { accept } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const framed = messages.map(({ data }) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length);
      return Buffer.concat([length, data]);
    });
    expect(messages.map(({ binary }) => binary)).toEqual([true, true]);
    expect(Buffer.concat(framed).equals(Buffer.concat(chunks))).toBe(true);
  });

  test("answers pings while nothing happens, and ignores messages", async () => {
    const socket = open(`${MAPS}?watch=true&labelSelector=nothing`);
    await once(socket, "open");
    socket.send("hello");
    socket.ping("there?");
    const [payload] = (await once(socket, "pong")) as [Buffer];
    expect(payload.toString()).toBe("there?");
    socket.close();
    const [code] = (await once(socket, "close")) as [number];
    expect(code).toBe(1005);
  });

  test("receives an ERROR message for an expired resourceVersion, and is closed", async () => {
    const heard = await listen(open(`${MAPS}?watch=true&resourceVersion=1000000`));
    expect(heard.code).toBe(1000);
    expect(heard.messages).toHaveLength(1);
    expect(JSON.parse(heard.messages[0]?.text ?? "")).toMatchObject({ type: "ERROR", object: { code: 410 } });
  });

  test("uses the offered subprotocol; a bearer token among the subprotocols authenticates", async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(cluster.token).toString("base64url")}`;
    const path = `${MAPS}?watch=true&timeoutSeconds=1&labelSelector=nothing`;
    const heard = await listen(open(path, [token, "base64.binary.k8s.io"], {}));
    expect([heard.code, heard.subprotocol]).toEqual([1000, "base64.binary.k8s.io"]);
  });

  test.each([
    { name: "no credentials", headers: {}, protocols: [], status: 403 },
    {
      name: "a token nobody knows",
      headers: {},
      protocols: ["base64url.bearer.authorization.k8s.io.bm9ib2R5", "v4.channel.k8s.io"],
      status: 401,
    },
    {
      name: "a token without another subprotocol to answer",
      headers: {},
      protocols: ["base64url.bearer.authorization.k8s.io.bm9ib2R5"],
      status: 401,
    },
  ])("with $name is refused as any request", async ({ headers, protocols, status }) => {
    const socket = open(`${MAPS}?watch=true`, protocols, headers);
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(status);
    socket.on("error", () => {});
    socket.terminate();
  });

  test("works with undici's client too", async () => {
    const dispatcher = new Agent({ connect: { ca: cluster.caCertificate } });
    const socket = new UndiciWebSocket(
      `${cluster.url.replace("https:", "wss:")}/api/v1/namespaces?watch=true&timeoutSeconds=1`,
      { dispatcher, headers: bearer(cluster) },
    );
    const names: string[] = [];
    socket.addEventListener("message", ({ data }) => {
      names.push((JSON.parse(String(data)) as { object: { metadata: { name: string } } }).object.metadata.name);
    });
    const closed = await new Promise<{ code: number }>((resolve) => socket.addEventListener("close", resolve));
    expect(names.toSorted()).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
    expect(closed.code).toBe(1000);
    await dispatcher.close();
  });

  test("receives many events at once completely", async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => create(`large-${index}`, { data: { text: "x".repeat(50_000) } })),
    );
    const heard = await listen(open(`${MAPS}?watch=true&timeoutSeconds=1`));
    expect(typesAndNames(heard).filter((one) => one.includes("large-"))).toHaveLength(40);
  });
});

/** Sends a request that asks for another protocol and reads what comes instead. */
function ask(path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${cluster.url}${path}`, {
      ca: cluster.caCertificate,
      agent: false,
      headers: { ...bearer(cluster), connection: "Upgrade", ...headers },
    });
    outgoing.on("error", reject).on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    outgoing.end();
  });
}

describe("a request to upgrade that is no WebSocket watch", () => {
  test("is answered as a plain request when it is no watch, however long the answer", async () => {
    await create("long", { data: { text: "y".repeat(900_000) } });
    await create("longer", { data: { text: "z".repeat(900_000) } });
    const { status, text } = await ask(MAPS, { upgrade: "websocket" });
    expect(status).toBe(200);
    expect((JSON.parse(text) as { items: object[] }).items.length).toBeGreaterThan(1);
  });

  test("is answered as a plain request for an unknown protocol", async () => {
    const { status, text } = await ask("/version", { upgrade: "h2c" });
    expect([status, (JSON.parse(text) as { major: string }).major]).toEqual([200, "1"]);
  });

  test("gets errors about its options before the upgrade", async () => {
    const socket = open(`${MAPS}?watch=true&resourceVersion=nonsense`);
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(422);
    socket.on("error", () => {});
    socket.terminate();
  });

  test("is refused with 400 for an invalid handshake", async () => {
    const { status, text } = await ask(`${MAPS}?watch=true`, { upgrade: "websocket", "sec-websocket-version": "13" });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "BadRequest" });
  });
});
