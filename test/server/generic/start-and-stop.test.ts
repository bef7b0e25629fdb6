import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { Agent, request } from "node:https";
import { afterEach, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { deferred } from "../../../src/base/async/deferred.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { BootSequence } from "../../../src/server/generic/boot-sequence.js";
import { createServer, type Server } from "../../../src/server/generic/server.js";
import { createStorage, type Storage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { call } from "../../helpers/api-caller.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Ended as HTTP says it must, not cut off. */
  readonly whole: boolean;
}

/** A request whose body is sent in the test's own time. */
function overHttp1(cluster: Cluster, method: string, path: string, agent = new Agent()) {
  const outgoing = request(`${cluster.url}${path}`, {
    agent,
    method,
    ca: cluster.caCertificate,
    headers: { authorization: `Bearer ${cluster.token}`, "content-type": "application/json" },
  });
  const answer = new Promise<Seen>((resolve, reject) => {
    outgoing.on("error", reject).on("response", (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      incoming.on("error", () => {});
      incoming.on("close", () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, whole: incoming.complete });
      });
    });
  });
  return { outgoing, answer };
}

function overHttp2(session: ClientHttp2Session, { token }: Cluster, method: string, path: string) {
  const outgoing = session.request({
    ":method": method,
    ":path": path,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  const answer = new Promise<Seen>((resolve, reject) => {
    let head: Record<string, unknown> = {};
    let text = "";
    let whole = false;
    outgoing.on("response", (received) => (head = received));
    outgoing.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    outgoing.on("end", () => (whole = true)).on("error", reject);
    outgoing.on("close", () => {
      resolve({ status: Number(head[":status"]), headers: head, text, whole: whole && outgoing.rstCode === 0 });
    });
  });
  return { outgoing, answer };
}

const map = (name: string) => JSON.stringify({ metadata: { name } });

describe("a cluster that stops", () => {
  let cluster: Cluster;
  afterEach(() => cluster.close());

  test("fails its probes, refuses new requests, ends watches and finishes accepted requests", async () => {
    cluster = await startCluster();
    const session = connect(cluster.url, { ca: cluster.caCertificate });
    const late = connect(cluster.url, { ca: cluster.caCertificate });
    await Promise.all([once(session, "connect"), once(late, "connect")]);
    const watches = [
      overHttp1(cluster, "GET", `${MAPS}?watch=true`),
      overHttp2(session, cluster, "GET", `${MAPS}?watch=true`),
    ];
    for (const { outgoing } of watches) outgoing.end();
    const socket = new WebSocket(`${cluster.url.replace("https:", "wss:")}${MAPS}?watch=true`, {
      ca: cluster.caCertificate,
      headers: { authorization: `Bearer ${cluster.token}` },
    });
    await once(socket, "message");
    // Two writes whose bodies are only half here.
    const writes = [overHttp1(cluster, "POST", MAPS), overHttp2(session, cluster, "POST", MAPS)];
    const bodies = [map("over-http1"), map("over-http2")];
    for (const [index, { outgoing }] of writes.entries()) outgoing.write(bodies[index]?.slice(0, 10));
    const probe = overHttp1(cluster, "GET", "/readyz?verbose");
    probe.outgoing.end();
    const ready = await probe.answer;
    expect([ready.status, ready.text.split("\n").at(-3)]).toEqual([200, "[+]shutdown ok"]);

    const closing = cluster.close();
    const closed = once(socket, "close");
    const ended = await Promise.all(watches.map(({ answer }) => answer));
    expect(ended.map(({ status, whole }) => [status, whole])).toEqual([
      [200, true],
      [200, true],
    ]);
    expect(ended[0]?.text).toMatch(/^\{"type":"ADDED".*\}\n$/);
    expect((await closed)[0]).toBe(1000);

    const verbose = overHttp1(cluster, "GET", "/readyz");
    verbose.outgoing.end();
    const unready = await verbose.answer;
    expect(unready.status).toBe(500);
    expect(unready.text.split("\n").slice(-3)).toEqual([
      "[-]shutdown failed: reason withheld",
      "readyz check failed",
      "",
    ]);
    const alive = overHttp1(cluster, "GET", "/livez");
    alive.outgoing.end();
    expect((await alive.answer).status).toBe(200);

    const goaway = once(late, "goaway");
    const refused = [overHttp1(cluster, "GET", MAPS), overHttp2(late, cluster, "GET", MAPS)];
    for (const { outgoing } of refused) outgoing.end();
    for (const { status, headers, text } of await Promise.all(refused.map(({ answer }) => answer))) {
      expect([status, headers["retry-after"]]).toEqual([503, "1"]);
      expect(text).toBe(
        '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"apiserver is shutting down","reason":"ServiceUnavailable","code":503}\n\n',
      );
    }
    expect((await refused[0]?.answer)?.headers["connection"]).toBe("close");
    await goaway;

    for (const [index, { outgoing }] of writes.entries()) outgoing.end(bodies[index]?.slice(10));
    const written = await Promise.all(writes.map(({ answer }) => answer));
    expect(written.map(({ status, whole }) => [status, whole])).toEqual([
      [201, true],
      [201, true],
    ]);
    await closing;
    const gone = overHttp1(cluster, "GET", "/readyz");
    gone.outgoing.end();
    // A program that another test starts holds a copy of the closed port between fork and exec; then the kernel resets.
    await expect(gone.answer).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN(?:REFUSED|RESET)$/) });
    session.destroy();
    late.destroy();
  });

  test("completes an answer that is being sent", async () => {
    cluster = await startCluster();
    const api = cluster.transport();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call(api, "POST", MAPS, { metadata: { name: `large-${index}` }, data: { text: "x".repeat(400_000) } }),
      ),
    );
    const session = connect(cluster.url, { ca: cluster.caCertificate });
    const lists = [overHttp1(cluster, "GET", MAPS), overHttp2(session, cluster, "GET", MAPS)];
    for (const { outgoing } of lists) outgoing.end();
    await Promise.all(lists.map(({ outgoing }) => once(outgoing, "response")));
    const closing = cluster.close();
    for (const { status, text, whole } of await Promise.all(lists.map(({ answer }) => answer))) {
      expect([status, whole]).toEqual([200, true]);
      expect((JSON.parse(text) as { items: object[] }).items).toHaveLength(21);
    }
    await closing;
    session.destroy();
  });
});

describe("a server that starts", () => {
  let server: Server;
  let storage: Storage;
  afterEach(async () => {
    await server.stop();
    await storage.close();
  });

  test("FLT-6, EXT-10: refuses requests until its last step is done, and lists the remaining ones in probes", async () => {
    storage = createStorage({ kv: openMemoryKv({ clock: systemClock }) });
    const boot = new BootSequence(["storage-readiness", "rbac/bootstrap-roles"]);
    server = createServer({
      storage,
      boot,
      records: builtinRecords,
      clock: systemClock,
      random: seededRandom("boot"),
      requestRandom: systemRandom,
      tokens: [],
      serverAddress: () => "",
    });
    const api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
    await boot.run("storage-readiness", () => storage.ready());
    const step = deferred<void>();
    const running = boot.run("rbac/bootstrap-roles", () => step.promise);

    const refused = await call(api, "GET", "/api/v1/namespaces");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect(JSON.parse(refused.text)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "the request has been made before all known HTTP paths have been installed, please try again",
      reason: "ServiceUnavailable",
      details: { retryAfterSeconds: 1 },
      code: 503,
    });
    // It is not known yet whether there is such a path.
    for (const path of ["/apis/stable.example.com/v1/namespaces/default/crontabs", "/nothing"])
      expect((await call(api, "GET", path)).status).toBe(503);
    const unready = await call(api, "GET", "/readyz");
    expect([unready.status, unready.text]).toEqual([
      500,
      "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]poststarthook/storage-readiness ok\n" +
        "[-]poststarthook/rbac/bootstrap-roles failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n",
    ]);
    expect((await call(api, "GET", "/readyz/poststarthook/rbac/bootstrap-roles")).status).toBe(500);
    expect((await call(api, "GET", "/livez")).text).toBe("ok");
    // The server's own parts make it ready.
    expect((await call(server.loopback(), "GET", "/api/v1/namespaces")).status).toBe(200);

    step.resolve();
    await running;
    expect((await call(api, "GET", "/api/v1/namespaces")).status).toBe(200);
    expect((await call(api, "GET", "/nothing")).status).toBe(404);
    expect((await call(api, "GET", "/readyz")).text).toBe("ok");
  });
});
