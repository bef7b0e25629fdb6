import { connect, constants } from "node:http2";
import { describe, expect, test } from "vitest";
import type { ServerOptions } from "../../../src/cluster/options/server-options.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { createServer } from "../../../src/server/generic/server.js";
import type { Handler } from "../../../src/server/request/api-request.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { observeAnswers, type Answer } from "../../../src/server/request/observed-answer.js";
import { WrappedExchange } from "../../../src/server/request/wrapped-exchange.js";
import { deferred } from "../../../src/base/async/deferred.js";
import { call } from "../../helpers/api-caller.js";
import { COLLECTION, widgets } from "../api-registry/widgets.js";

const started = (options: ServerOptions) => startServer({ port: false, resources: [widgets], ...options });

describe("cross-origin requests of web pages (CORS)", () => {
  const conduct = { corsAllowedOrigins: ["^https://shop\\.example\\.com(:\\d+)?$"] };
  const allowed = {
    "access-control-allow-origin": "https://shop.example.com",
    "access-control-allow-methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "Date",
  };

  test("are allowed for a configured origin; a preflight request is answered 204 before authentication", async () => {
    await using server = await started({ conduct, authentication: { anonymous: false } });
    const api = server.transport();
    const origin = { origin: "https://shop.example.com" };
    expect((await call(api, "GET", COLLECTION, undefined, { headers: origin })).headers).toMatchObject(allowed);
    const strangers = { ...origin, authorization: "Bearer wrong" };
    const preflight = await call(api, "OPTIONS", COLLECTION, undefined, { headers: strangers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject(allowed);
  });

  test("can read refusals and errors too", async () => {
    await using server = await started({ conduct, authentication: { anonymous: false } });
    const api = server.transport();
    const origin = { origin: "https://shop.example.com" };
    const nothing = await call(api, "GET", `${COLLECTION}/nothing`, undefined, { headers: origin });
    expect([nothing.status, nothing.headers["access-control-allow-origin"]]).toEqual([404, origin.origin]);
    const headers = { ...origin, authorization: "Bearer wrong" };
    const stranger = await call(api, "GET", COLLECTION, undefined, { headers });
    expect([stranger.status, stranger.headers["access-control-allow-origin"]]).toEqual([401, origin.origin]);
  });

  test("get no CORS headers for other origins", async () => {
    await using server = await started({ conduct });
    const headers = { origin: "https://shop.example.com.evil.test" };
    const { headers: answered } = await call(server.transport(), "GET", COLLECTION, undefined, { headers });
    expect(Object.keys(answered).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

test("browsers get an HSTS header", async () => {
  await using server = await started({
    conduct: { strictTransportSecurity: ["max-age=31536000", "includeSubDomains"] },
  });
  for (const [path, expected] of [
    ["/version", 200],
    [`${COLLECTION}/nothing`, 404],
  ] as const) {
    const { status, headers } = await call(server.transport(), "GET", path);
    expect([status, headers["strict-transport-security"]]).toEqual([expected, "max-age=31536000; includeSubDomains"]);
  }
});

test("the server closes an HTTP/2 connection after a request with the probability goawayChance, and answers the request", async () => {
  await using server = await started({ port: 0, conduct: { goawayChance: 0.02 } });
  const session = connect(server.url, { ca: server.caCertificate });
  let goaway: number | undefined;
  session.on("goaway", (code) => (goaway = code));
  for (let sent = 0; sent < 5000 && goaway === undefined && !session.closed; sent += 1) {
    const stream = session.request({ ":path": "/version" });
    const status = await new Promise<number | undefined>((resolve) => {
      stream.on("response", (head) => resolve(head[":status"]));
      stream.on("error", () => resolve(undefined));
      stream.resume();
      stream.end();
    });
    if (status !== undefined) expect(status).toBe(200);
  }
  await new Promise<void>((resolve) => (session.closed ? resolve() : session.once("close", () => resolve())));
  expect(goaway).toBe(constants.NGHTTP2_NO_ERROR);
});

describe("a server that stops", () => {
  test("answers 429 with Retry-After where shutdownSendRetryAfter is set, and probes as before (FLT-7)", async () => {
    const [stopping, mayEnd] = [deferred<void>(), deferred<void>()];
    const server = await started({
      conduct: { shutdownSendRetryAfter: true },
      filters: [
        {
          name: "slow",
          after: "authorization",
          filter: (next) => async (request) => {
            if (request.exchange.query.has("slow")) await mayEnd.promise;
            return next(request);
          },
        },
      ],
      onLifeCycle: (event) => void (event === "NotAcceptingNewRequest" && stopping.resolve()),
    });
    const api = server.transport();
    const slow = call(api, "GET", `${COLLECTION}?slow=1`);
    await call(api, "GET", "/version");
    const closed = server.close();
    await stopping.promise;
    const refused = await call(api, "GET", COLLECTION);
    expect(refused).toMatchObject({ status: 429, text: "The apiserver is shutting down, please try again later.\n" });
    expect(refused.headers).toMatchObject({ "retry-after": "5", connection: "close" });
    expect((await call(api, "GET", "/livez")).status).toBe(200);
    mayEnd.resolve();
    expect((await slow).status).toBe(200);
    await closed;
  });

  test("serves on until shutdownDelay has passed and its hooks have run, while /readyz fails already (SHUT-3, RUN-1)", async () => {
    const due: (() => void)[] = [];
    const timers = { start: (_: number, callback: () => void) => (due.push(callback), () => {}) };
    const hook = deferred<void>();
    const server = createServer({
      storage: createStorage({ kv: openMemoryKv(), clock: systemClock, compactionSeconds: 0 }),
      records: [],
      resources: [widgets],
      runtimeConfig: { "api/all": false },
      clock: systemClock,
      random: seededRandom("conduct"),
      requestRandom: seededRandom("conduct"),
      tokens: [],
      serverAddress: () => "",
      timers,
      conduct: { shutdownDelay: 10_000 },
    });
    const api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
    expect((await call(api, "GET", "/readyz")).status).toBe(200);
    const before = due.length;
    const stopped = server.stop(() => hook.promise);
    expect((await call(api, "GET", "/readyz")).status).toBe(500);
    hook.resolve();
    expect((await call(api, "GET", "/version")).status).toBe(200);
    expect(server.lifeCycle.has("NotAcceptingNewRequest")).toBe(false);
    due[before]?.();
    await stopped;
    expect(server.lifeCycle.has("InFlightRequestsDrained")).toBe(true);
  });
});

describe("filters of the caller", () => {
  test("may change the answer", async () => {
    await using server = await started({
      filters: [
        {
          name: "branded",
          before: "panic-recovery",
          filter: (next) => (request) =>
            next(
              request.with({
                exchange: new (class extends WrappedExchange {
                  override respond(status: number, headers: Parameters<WrappedExchange["respond"]>[1]) {
                    return super.respond(status, { ...headers, "x-brand": "kubets" });
                  }
                })(request.exchange),
              }),
            ),
        },
      ],
    });
    expect((await call(server.transport(), "GET", "/nothing")).headers["x-brand"]).toBe("kubets");
  });

  test("learn the status, the bytes, and whether the answer broke off, once for each request", async () => {
    const answers: (Pick<Answer, "status" | "bytes" | "isReset"> & { path: string })[] = [];
    await using server = await started({
      filters: [
        {
          name: "observer",
          before: "panic-recovery",
          filter: observeAnswers(Date.now, ({ info }, { status, bytes, isReset }) =>
            answers.push({ path: info.path, status, bytes, isReset }),
          ),
        },
        {
          name: "broken",
          filter: (next) => async (request) => {
            if (!request.exchange.query.has("broken")) return next(request);
            await request.exchange.respond(200, {}).write(Buffer.from("half"));
            throw new Error("the rest is lost");
          },
        },
      ],
    });
    const api = server.transport();
    const { text } = await call(api, "GET", COLLECTION);
    const nothing = await call(api, "GET", "/nothing");
    await call(api, "GET", "/version?broken=1").catch(() => {});
    expect(answers).toEqual([
      { path: COLLECTION, status: 200, bytes: text.length, isReset: false },
      { path: "/nothing", status: 404, bytes: nothing.text.length, isReset: false },
      { path: "/version", status: 200, bytes: 4, isReset: true },
    ]);
  });

  test("see the refusal of a later filter as an answer", async () => {
    const answers: (number | undefined)[] = [];
    await using server = await started({
      filters: [{ name: "observer", filter: observeAnswers(Date.now, (_, { status }) => answers.push(status)) }],
    });
    expect((await call(server.transport(), "GET", `${COLLECTION}/nothing`)).status).toBe(404);
    await expect.poll(() => answers).toEqual([404]);
  });

  test("stand before or after any filter, also another one of the caller's", async () => {
    const seen: string[] = [];
    const recorder = (name: string) => ({
      name,
      filter:
        (next: Handler): Handler =>
        (request) => {
          seen.push(name);
          return next(request);
        },
    });
    await using server = await started({
      filters: [recorder("b"), { ...recorder("a"), before: "b" }, { ...recorder("first"), before: "panic-recovery" }],
    });
    await call(server.transport(), "GET", "/version");
    expect(seen).toEqual(["first", "a", "b"]);
  });
});
