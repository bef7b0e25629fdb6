import { once } from "node:events";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { certificateOf, registerApi, thingsOf, untilAvailable } from "../../helpers/aggregated-backend.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const GROUP = "second.example.com";
const THINGS = `/apis/${GROUP}/v1/namespaces/default/things`;

describe("the aggregator and an extension server that speaks only HTTP/2", () => {
  let main: Cluster;
  let api: Transport;
  let server: Http2SecureServer;
  /** Of each stream the headers, by its path. */
  const seen = new Map<string, Readonly<Record<string, unknown>>>();
  const reset = new Set<string>();
  let sessions = 0;
  let held: ServerHttp2Stream[] = [];

  beforeAll(async () => {
    const { certificate: cert, key } = certificateOf(GROUP);
    server = createSecureServer({ cert, key, allowHTTP1: false });
    server.on("session", (session) => {
      sessions += 1;
      session.on("error", () => {});
    });
    server.on("stream", (stream, headers) => {
      const path = String(headers[":path"]);
      seen.set(path, headers);
      stream.on("error", () => {}).on("aborted", () => reset.add(path));
      void answer(stream, path);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    main = await startCluster({ ...quietCluster, port: 0 });
    api = main.transport();
    await registerApi(api, { group: GROUP, port: (server.address() as AddressInfo).port });
    await untilAvailable(api, GROUP);
  });

  afterAll(async () => {
    await main.close();
    server.close();
  });

  async function answer(stream: ServerHttp2Stream, path: string): Promise<void> {
    const respond = (headers: object = {}) =>
      stream.respond({ ":status": 200, "content-type": "application/json", ...headers });
    if (path.endsWith("/held")) return void held.push(stream);
    // The main server's own informers get no further than to a 404.
    if (path.startsWith(`/apis/${GROUP}/v1/things`)) return stream.respond({ ":status": 404 }, { endStream: true });
    if (path.includes("watch=true")) {
      respond();
      return void stream.write("{}\n");
    }
    if (path.endsWith("/zipped")) {
      const body = gzipSync('{"zipped":true}');
      respond({ "content-encoding": "gzip", "content-length": body.length });
      return void stream.end(body);
    }
    const { length } = await buffer(stream);
    respond();
    stream.end(JSON.stringify(path === `/apis/${GROUP}/v1` ? thingsOf(GROUP) : { length }));
  }

  test("share one connection for many requests, without headers of HTTP/1.1", async () => {
    const before = sessions;
    const answers = Array.from({ length: 20 }, () => call(api, "GET", `${THINGS}/held`));
    await eventually(() => expect(held).toHaveLength(20));
    for (const stream of held) {
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.end('{"held":true}');
    }
    held = [];
    for (const each of await Promise.all(answers)) expect(each.at("held")).toBe(true);
    expect(sessions - before).toBeLessThanOrEqual(1);
    const headers = seen.get(`${THINGS}/held`) ?? {};
    expect(headers[":authority"]).toMatch(/^second\.default\.svc:\d+$/);
    expect(headers["x-remote-user"]).toBe("kubernetes-admin");
    expect(Object.keys(headers).filter((name) => /^(host|connection|transfer-encoding)$/.test(name))).toEqual([]);
  });

  test("pass on bodies of requests completely, short ones and empty ones", async () => {
    expect((await call(api, "POST", THINGS, "x".repeat(1000))).at("length")).toBe(1000);
    expect((await call(api, "DELETE", `${THINGS}/one`)).at("length")).toBe(0);
  });

  test("pass on an answer with its encoding", async () => {
    const { body, headers } = await api.send({
      method: "GET",
      path: `${THINGS}/zipped`,
      headers: { "accept-encoding": "gzip" },
    });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(await buffer(body)).toEqual(gzipSync('{"zipped":true}'));
  });

  test("end the stream of a client that disconnects, and no other", async () => {
    const stop = new AbortController();
    const watch = (name: string, signal?: AbortSignal) =>
      api.send({ method: "GET", path: `${THINGS}?watch=true&name=${name}`, headers: {}, ...(signal && { signal }) });
    const [left, stays] = await Promise.all([watch("left", stop.signal), watch("stays")]);
    await left.body[Symbol.asyncIterator]().next();
    const reader = stays.body[Symbol.asyncIterator]();
    await reader.next();
    stop.abort();
    await eventually(() => expect([...reset]).toContain(`${THINGS}?watch=true&name=left`));
    expect([...reset]).not.toContain(`${THINGS}?watch=true&name=stays`);
    await reader.return?.();
  });
});
