import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { type Deferred, deferred } from "../../../src/base/async/deferred.js";
import { type ConnectionLimits, type Listener, listen } from "../../../src/server/generic/secure-listener.js";
import type { Exchange } from "../../../src/server/request/exchange.js";
import { eventually } from "../../helpers/eventually.js";
import { newAuthority, openTls, servingCertificate } from "../../helpers/tls-peer.js";

const FEW = { streams: 4, waiting: 3, strangers: 3, idle: 60_000, strangerIdle: 60_000 };
const authority = newAuthority();
const pair = servingCertificate(authority, "limits");
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(
  handle: (exchange: Exchange) => Promise<void>,
  limits: Partial<ConnectionLimits>,
): Promise<Listener> {
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { ...pair, clientCa: authority.certificate },
    clock: systemClock,
    stopping: new AbortController().signal,
    handle,
    limits,
  });
  closing.push(() => listener.close());
  return listener;
}

function dial({ port }: Listener): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on("error", () => {});
  closing.push(() => session.destroy());
  return session;
}

const answer = (exchange: Exchange, text: string): Promise<void> => exchange.respond(200, {}).end(Buffer.from(text));

/** The answer's text; "reset" for a stream that the server reset. */
async function textOf(stream: ClientHttp2Stream): Promise<string> {
  let text = "";
  try {
    for await (const chunk of stream) text += String(chunk);
  } catch {
    return "reset";
  }
  return text;
}

/** A server whose requests of /hold wait for the test. */
async function holding(limits: Partial<ConnectionLimits>) {
  const held: Deferred<void>[] = [];
  const listener = await open(async (exchange) => {
    if (exchange.path === "/hold") {
      const hold = deferred<void>();
      held.push(hold);
      await hold.promise;
    }
    await answer(exchange, exchange.path);
  }, limits);
  closing.push(() => held.forEach((hold) => hold.resolve()));
  return { listener, held };
}

describe("an HTTP/2 connection to the server", () => {
  test("whose client resets its requests has no more work than its stream limit, and others are served", async () => {
    const { listener, held } = await holding({ http2: FEW });
    const session = dial(listener);
    for (let sent = 1; sent <= FEW.streams; sent++) {
      const stream = session.request({ ":path": "/hold" }).on("error", () => {});
      await eventually(() => expect(held).toHaveLength(sent));
      stream.close(constants.NGHTTP2_CANCEL);
      await once(stream, "close");
    }
    const waiting = session.request({ ":path": "/waiting" });
    const other = dial(listener);
    expect(await textOf(other.request({ ":path": "/other" }))).toBe("/other");
    expect(waiting.closed).toBe(false);
    held[0]?.resolve();
    expect(await textOf(waiting)).toBe("/waiting");
    expect(held).toHaveLength(FEW.streams);
  });

  test("with too many waiting requests is closed with ENHANCE_YOUR_CALM", async () => {
    const { listener, held } = await holding({ http2: { ...FEW, waiting: 1 } });
    const session = dial(listener);
    for (let sent = 1; sent <= FEW.streams; sent++) {
      const stream = session.request({ ":path": "/hold" }).on("error", () => {});
      await eventually(() => expect(held).toHaveLength(sent));
      stream.close(constants.NGHTTP2_CANCEL);
      await once(stream, "close");
    }
    const goaway = once(session, "goaway");
    for (const path of ["/first", "/second"]) session.request({ ":path": path }).on("error", () => {});
    expect((await goaway)[0]).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });

  test("has kube-apiserver's default limit of streams (H2-1)", async () => {
    const { listener } = await holding({});
    const session = dial(listener);
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
  });

  test("of an unauthenticated caller ends after its last answer", async () => {
    const listener = await open(
      async (exchange) => {
        exchange.authenticated?.(exchange.headers["authorization"] !== undefined);
        await answer(exchange, exchange.path);
      },
      { http2: { ...FEW, strangerIdle: 0 } },
    );
    const stranger = dial(listener);
    const goaway = once(stranger, "goaway");
    expect(await Promise.all(["/a", "/b"].map((path) => textOf(stranger.request({ ":path": path }))))).toEqual([
      "/a",
      "/b",
    ]);
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    const known = dial(listener);
    const headers = { authorization: "Bearer known" };
    expect(await textOf(known.request({ ":path": "/c", ...headers }))).toBe("/c");
    // The stranger's would have ended by now: this request began after it.
    expect(await textOf(known.request({ ":path": "/d", ...headers }))).toBe("/d");
    expect(known.closed).toBe(false);
  });

  test("of an unauthenticated caller accepts only few requests, and finishes those", async () => {
    const hold = deferred<void>();
    const listener = await open(
      async (exchange) => {
        exchange.authenticated?.(false);
        if (exchange.path === "/hold") await hold.promise;
        await answer(exchange, exchange.path);
      },
      { http2: FEW },
    );
    const stranger = dial(listener);
    const held = stranger.request({ ":path": "/hold" });
    const goaway = once(stranger, "goaway");
    for (let sent = 1; sent < FEW.strangers; sent++) {
      expect(await textOf(stranger.request({ ":path": "/quick" }))).toBe("/quick");
    }
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    hold.resolve();
    expect(await textOf(held)).toBe("/hold");
    expect(await textOf(dial(listener).request({ ":path": "/again" }))).toBe("/again");
  });

  test("ends a stream whose client sends an endless body after its answer", async () => {
    const listener = await open(
      (exchange) => {
        void exchange.body(10).catch(() => {});
        return answer(exchange, "refused");
      },
      { http2: FEW, lateBody: 0 },
    );
    const stream = dial(listener).request({ ":path": "/", ":method": "POST" });
    stream.write("begun");
    expect(await textOf(stream)).toBe("refused");
    await once(stream, "close");
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });
});

describe("a TCP port of the server", () => {
  /** What the server sends until it closes the connection. */
  const endOf = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
      socket.on("error", () => {}).on("close", () => resolve(text));
    });

  test("closes a connection beyond its limit, and accepts one again when another has ended", async () => {
    const listener = await open((exchange) => answer(exchange, "served"), { connections: 2 });
    const [first, second] = [await openTls(listener.port), await openTls(listener.port)];
    await expect(openTls(listener.port)).rejects.toThrow();
    first.destroy();
    await eventually(async () =>
      closing.push(
        (
          (third) => () =>
            third.destroy()
        )(await openTls(listener.port)),
      ),
    );
    second.destroy();
  });

  test("closes a connection without a TLS handshake", async () => {
    const listener = await open((exchange) => answer(exchange, "served"), { handshake: 20 });
    await endOf(connectTcp({ host: "127.0.0.1", port: listener.port }));
  });

  test.each([
    ["no head", ""],
    ["half a head", "GET / HTTP/1.1\r\nhost: a\r\nx-slow: "],
    ["half a body", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf"],
  ])("answers 408 to a client that sends %s, and closes the connection", async (_, text) => {
    const listener = await open(
      async (exchange) => {
        await exchange.body(1000);
        await answer(exchange, "read");
      },
      { head: 20, request: 20, check: 10 },
    );
    const socket = await openTls(listener.port);
    socket.write(text);
    expect(await endOf(socket)).toContain("408 Request Timeout");
  });
});
