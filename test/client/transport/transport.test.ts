import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Surroundings, surroundingsOf } from "../../../src/client/surroundings.js";
import type { TransportConfig } from "../../../src/client/transport/endpoint.js";
import { createTransport as createBunTransport } from "../../../src/client/transport/create-bun-transport.js";
import { http2Transport } from "../../../src/client/transport/http2.js";
import { nodeHttpsTransport } from "../../../src/client/transport/node-https.js";
import type { Transport, TransportResponse } from "../../../src/client/transport/transport.js";
import { undiciTransport } from "../../../src/client/transport/undici.js";
import { type Authority, authority } from "./certificates.js";

const servers: Server[] = [];
let ca: Authority;
let sameName: Authority;
let expired: Authority;

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const plain = (handle: RequestListener) => listen(createServer(handle));
const tcp = (handle: (socket: Socket) => void) => listen(createTcpServer(handle));

/** Serves by http or https, and resolves with what a transport needs to reach it. */
async function serve(scheme: string, handle: RequestListener): Promise<TransportConfig> {
  if (scheme === "http") return config(`http://127.0.0.1:${await plain(handle)}`);
  const port = await listen(createSecureServer(await ca.issue(LOCAL), handle));
  return config(`https://127.0.0.1:${port}`, { caData: bytes(ca.pem) });
}

const LOCAL: Parameters<Authority["issue"]>[0] = [{ type: "ip", value: "127.0.0.1" }];

async function secure(
  names: Parameters<Authority["issue"]>[0],
  options: { days?: number; clientCa?: string; by?: Authority } = {},
): Promise<number> {
  const { cert, key } = await (options.by ?? ca).issue(names, options.days);
  const mutual =
    options.clientCa === undefined ? {} : { ca: options.clientCa, requestCert: true, rejectUnauthorized: true };
  return listen(createSecureServer({ cert, key, ...mutual }, (_, response) => response.end("hi")));
}

beforeAll(async () => {
  ca = await authority("my-ca");
  sameName = await authority("my-ca");
  expired = await authority("old-ca", -1);
});

afterAll(() => {
  for (const server of servers) server.close();
});

/** What every client sends. */
const USUAL = { accept: "*/*", "user-agent": "test" };

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const bytes = (text: string) => Buffer.from(text);
const config = (server: string, tls: Partial<TransportConfig["tls"]> = {}, proxyUrl?: string): TransportConfig => ({
  server,
  tls: { insecureSkipVerify: false, ...tls },
  ...(proxyUrl !== undefined && { proxyUrl }),
});

type Make = (config: TransportConfig, given?: Partial<Surroundings>) => Transport;

const OVER_NODE: readonly [string, Make][] = [
  ["node:http", (config, given = {}) => nodeHttpsTransport(config, surroundingsOf(given))],
  ["undici", (config, given = {}) => undiciTransport(config, surroundingsOf(given))],
  ["HTTP/2, to servers that have none", (config, given = {}) => http2Transport(config, surroundingsOf(given))],
];
const OVER_BUN: readonly [string, Make][] = [
  ["bun's fetch", (config, given = {}) => createBunTransport(config, given)],
];

describe.each(process.versions["bun"] === undefined ? OVER_NODE : OVER_BUN)("a transport over %s", (name, make) => {
  async function get(target: TransportConfig, path = "/x", signal?: AbortSignal) {
    const transport = make(target);
    try {
      const headers = { ...USUAL, "accept-encoding": "gzip" };
      const answer = await transport.send({ method: "GET", path, headers, ...(signal && { signal }) });
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.body) chunks.push(chunk);
      return { ...answer, text: Buffer.concat(chunks).toString() };
    } finally {
      await transport.close();
    }
  }

  describe.each(["http", "https"])("by %s", (scheme) => {
    test("sends method, path, headers and body, and keeps several values of a header apart", async () => {
      const target = await serve(scheme, (request, response) => {
        response.setHeader("warning", ["one", "two"]);
        const groups = request.rawHeaders.filter(
          (_, index) => request.rawHeaders[index - 1]?.toLowerCase() === "x-group",
        );
        request.on("data", (body: Buffer) =>
          response.end(`${request.method} ${request.url} ${groups.join("+")} ${body.toString()}`),
        );
      });
      const transport = make(target);
      const answer = await transport.send({
        method: "POST",
        path: "/a?b=c",
        headers: { ...USUAL, "content-type": "text/plain" },
        repeatedHeaders: { "x-group": ["g", "h"] },
        body: bytes("hello"),
      });
      let text = "";
      for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
      expect(text).toBe("POST /a?b=c g+h hello");
      expect(answer.headers["warning"]).toEqual(["one", "two"]);
      await transport.close();
    });

    test("headers beyond ASCII go out as UTF-8, and a stray line break is refused in Go's words", async () => {
      const target = await serve(scheme, (request, response) => {
        response.end(Buffer.from(request.headers["impersonate-user"]?.toString() ?? "", "latin1"));
      });
      const transport = make(target);
      const ask = (headers: Record<string, string>) =>
        transport.send({ method: "GET", path: "/", headers: { ...USUAL, ...headers } });
      let text = "";
      for await (const chunk of (await ask({ "impersonate-user": "jürgen 日本" })).body)
        text += Buffer.from(chunk).toString();
      expect(text).toBe("jürgen 日本");
      await expect(ask({ authorization: "Bearer a\n" })).rejects.toThrow(
        `Get "${target.server}/": net/http: invalid header field value for "Authorization"`,
      );
      await transport.close();
    });

    test("unpacks gzip", async () => {
      const target = await serve(scheme, (_, response) =>
        response.setHeader("content-encoding", "gzip").end(gzipSync("packed")),
      );
      expect((await get(target)).text).toBe("packed");
    });

    test("an abort ends the exchange with the signal's reason, the body included", async () => {
      const target = await serve(scheme, (_, response) => response.write("first"));
      const controller = new AbortController();
      const transport = make(target);
      const answer = await transport.send({ method: "GET", path: "/", headers: USUAL, signal: controller.signal });
      const read = async () => {
        for await (const chunk of answer.body) {
          expect(Buffer.from(chunk).toString()).toBe("first");
          controller.abort(new Error("enough"));
        }
      };
      await expect(read()).rejects.toThrow("enough");
      await transport.close();
    });

    test("sends exactly the given headers", async () => {
      const target = await serve(scheme, (request, response) => response.end(request.rawHeaders.join("\n")));
      const { host } = new URL(target.server);
      for (const method of ["POST", "PATCH", "PUT"]) {
        const transport = make(target);
        const body = bytes("{}");
        const answer = await transport.send({ method, path: "/", headers: { ...USUAL, "kubectl-command": "x" }, body });
        const sent = (await textOf(answer)).toLowerCase().split("\n");
        const pairs = Array.from({ length: sent.length / 2 }, (_, index) =>
          sent.slice(2 * index, 2 * index + 2).join(": "),
        );
        expect(pairs.filter((pair) => pair !== "connection: keep-alive").toSorted()).toEqual([
          "accept: */*",
          "content-length: 2",
          `host: ${host}`,
          "kubectl-command: x",
          "user-agent: test",
        ]);
        await transport.close();
      }
    });

    test.each(["/a%2Fb//c/../d?x=%27'&y=a+b", "/a|b?c={d}", "/%7e~!*()"])(
      "sends the path %s as it is",
      async (path) => {
        const target = await serve(scheme, (request, response) => response.end(request.url));
        expect((await get(target, path)).text).toBe(path);
      },
    );

    test("follows no redirect", async () => {
      const target = await serve(scheme, (_, response) => response.writeHead(302, { location: "/y" }).end("there"));
      expect(await get(target)).toMatchObject({ status: 302, headers: { location: "/y" }, text: "there" });
    });

    test("decompresses gzip while it arrives", async () => {
      const target = await serve(scheme, (_, response) => {
        const packer = createGzip();
        packer.pipe(response.setHeader("content-encoding", "gzip"));
        packer.write("first");
        packer.flush();
      });
      const transport = make(target);
      const headers = { ...USUAL, "accept-encoding": "gzip" };
      const { body } = await transport.send({ method: "GET", path: "/", headers });
      for await (const chunk of body) {
        expect(Buffer.from(chunk).toString()).toBe("first");
        break;
      }
      await transport.close();
    });

    test("makes the server wait for a slow reader", async () => {
      let sent = 0;
      const target = await serve(scheme, (_, response) => {
        const send = (): void => {
          while (sent < 64) {
            sent++;
            if (!response.write(Buffer.alloc(1 << 20))) return;
          }
          response.end();
        };
        response.on("drain", send);
        send();
      });
      const transport = make(target);
      const { body } = await transport.send({ method: "GET", path: "/", headers: USUAL });
      const chunks = body[Symbol.asyncIterator]();
      let read = (await chunks.next()).value?.byteLength ?? 0;
      let before = -1;
      while (before !== sent) {
        before = sent;
        await sleep(50);
      }
      expect(sent).toBeLessThan(48);
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) read += next.value.byteLength;
      expect(read).toBe(64 << 20);
      await transport.close();
    });

    test("ends the exchange when the reader stops", async () => {
      const events = new EventEmitter();
      const ended = once(events, "ended");
      const target = await serve(scheme, (request, response) => {
        request.socket.once("close", () => events.emit("ended"));
        response.write("first");
      });
      const transport = make(target);
      const { body } = await transport.send({ method: "GET", path: "/", headers: USUAL });
      for await (const _ of body) break;
      await ended;
      await transport.close();
    });

    test("close ends an exchange under way", async () => {
      const events = new EventEmitter();
      const asked = once(events, "asked");
      const target = await serve(scheme, () => events.emit("asked"));
      const transport = make(target);
      const failed = transport.send({ method: "GET", path: "/", headers: USUAL }).catch((error: unknown) => error);
      await asked;
      await transport.close();
      expect(await failed).toBeInstanceOf(Error);
    });

    test("an abort before the answer ends the exchange with the signal's reason", async () => {
      const controller = new AbortController();
      const target = await serve(scheme, () => controller.abort(new Error("enough")));
      await expect(get(target, "/", controller.signal)).rejects.toThrow("enough");
    });

    test.each(["GET", "POST"])(
      "%s on a connection that the server has closed is sent once more only if it reads",
      async (method) => {
        let asked = 0;
        const target = await serve(scheme, (request, response) => {
          if (++asked === 2) request.socket.destroy();
          else response.end("hi");
        });
        const transport = make(target);
        const send = (verb: string) =>
          transport.send({ method: verb, path: "/", headers: USUAL, ...(verb === "POST" && { body: bytes("x") }) });
        await textOf(await send("GET"));
        const outcome = await send(method).then(textOf, String);
        await transport.close();
        if (method === "POST")
          expect({ asked, outcome }).toMatchObject({ asked: 2, outcome: expect.stringContaining("EOF") as string });
        // undici leaves it to its caller to ask again.
        else if (name !== "undici") expect({ asked, outcome }).toEqual({ asked: 3, outcome: "hi" });
      },
    );

    test.each<[string, RequestListener, string]>([
      [
        "a body of known length",
        (_, response) =>
          void response.writeHead(200, { "content-length": "10" }).write("abc", () => response.socket?.destroy()),
        "unexpected EOF",
      ],
      [
        "a body in chunks",
        (_, response) => void response.write("abc", () => response.socket?.destroy()),
        "unexpected EOF",
      ],
      ["the connection before an answer", (request) => request.socket.destroy(), "EOF"],
    ])("reports %s that breaks off", async (_, handle, message) => {
      await expect(get(await serve(scheme, handle))).rejects.toThrow(message);
    });
  });

  describe("while a connection is made", () => {
    /** Takes connections and says nothing; `told` is called when one has sent its first bytes. */
    const silent = (told: () => void) => tcp((socket) => void socket.on("error", () => {}).once("data", told));
    const states: readonly [string, (told: () => void) => Promise<TransportConfig>][] = [
      ["the TLS handshake", async (told) => config(`https://127.0.0.1:${await silent(told)}`)],
      ["the handshake with an HTTPS proxy", async (told) => viaProxy("https", await silent(told))],
      ["the answer of an HTTP proxy", async (told) => viaProxy("http", await silent(told))],
      ["the answer of a SOCKS5 proxy", async (told) => viaProxy("socks5", await silent(told))],
    ];
    const viaProxy = (scheme: string, port: number) =>
      config("https://api.example:6443", {}, `${scheme}://127.0.0.1:${port}`);

    test.each(states)("an abort ends the wait for %s with the signal's reason", async (_, open) => {
      const controller = new AbortController();
      const target = await open(() => controller.abort(new Error("enough")));
      await expect(get(target, "/", controller.signal)).rejects.toThrow("enough");
    });

    test.each(states)("close ends the wait for %s", async (_, open) => {
      let transport: Transport | undefined;
      const target = await open(() => void transport?.close());
      transport = make(target);
      await expect(transport.send({ method: "GET", path: "/", headers: USUAL })).rejects.toBeInstanceOf(Error);
    });
  });

  test("uses an HTTP proxy: with full URLs for http, and a tunnel for https", async () => {
    const port = await secure([{ type: "ip", value: "127.0.0.1" }]);
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end("from the proxy");
    });
    proxy.on("connect", (request, socket: Socket) => {
      asked.push(`CONNECT ${request.url} ${String(request.headers["proxy-authorization"])}`);
      import("node:net")
        .then(({ connect }) => {
          const through = connect(port, "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
            through.pipe(socket).pipe(through);
          });
        })
        .catch(() => socket.destroy());
    });
    const url = `http://u:p@127.0.0.1:${await listen(proxy)}`;
    expect((await get(config("http://example.invalid", {}, url))).text).toBe("from the proxy");
    expect((await get(config(`https://127.0.0.1:${port}`, { caData: bytes(ca.pem) }, url))).text).toBe("hi");
    expect(asked).toEqual(["GET http://example.invalid/x", `CONNECT 127.0.0.1:${port} Basic dTpw`]);
  });

  test("presents a client certificate", async () => {
    const port = await secure([{ type: "ip", value: "127.0.0.1" }], { clientCa: ca.pem });
    const { cert, key } = await ca.issue([]);
    const tls = { caData: bytes(ca.pem), certData: bytes(cert), keyData: bytes(key) };
    expect((await get(config(`https://127.0.0.1:${port}`, tls))).text).toBe("hi");
    if (name === "undici") return;
    await expect(get(config(`https://127.0.0.1:${port}`, { caData: bytes(ca.pem) }))).rejects.toThrow(
      "remote error: tls: certificate required",
    );
    const transport = make(config(`https://127.0.0.1:${port}`, { caData: bytes(ca.pem) }));
    await expect(transport.send({ method: "POST", path: "/x", headers: USUAL, body: bytes("x") })).rejects.toThrow(
      "remote error: tls: certificate required",
    );
    await transport.close();
  });

  describe("fails with Go's message for", () => {
    const x509 = "tls: failed to verify certificate: x509: ";

    test.each<[string, () => Promise<TransportConfig>, string | RegExp]>([
      [
        "nobody listens",
        () => Promise.resolve(config("http://127.0.0.1:1")),
        "dial tcp 127.0.0.1:1: connect: connection refused",
      ],
      [
        "no such port",
        () => Promise.resolve(config("http://127.0.0.1:99999")),
        "dial tcp: address 99999: invalid port",
      ],
      ["no such scheme", () => Promise.resolve(config("ftp://h")), 'unsupported protocol scheme "ftp"'],
      [
        "http where https was expected",
        async () => config(`https://127.0.0.1:${await plain((_, response) => response.end())}`),
        "http: server gave HTTP response to HTTPS client",
      ],
      [
        "an authority nobody trusts",
        async () => config(`https://127.0.0.1:${await secure([{ type: "ip", value: "127.0.0.1" }])}`),
        `${x509}certificate signed by unknown authority`,
      ],
      [
        "an authority made anew under the same name",
        async () =>
          config(`https://127.0.0.1:${await secure([{ type: "ip", value: "127.0.0.1" }])}`, {
            caData: bytes(sameName.pem),
          }),
        `${x509}certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "my-ca")`,
      ],
      [
        "other names",
        async () =>
          config(
            `https://localhost:${await secure([
              { type: "dns", value: "a" },
              { type: "dns", value: "b" },
            ])}`,
            { caData: bytes(ca.pem) },
          ),
        `${x509}certificate is valid for a, b, not localhost`,
      ],
      [
        "other addresses",
        async () =>
          config(`https://127.0.0.1:${await secure([{ type: "ip", value: "10.0.0.1" }])}`, { caData: bytes(ca.pem) }),
        `${x509}certificate is valid for 10.0.0.1, not 127.0.0.1`,
      ],
      [
        "no addresses",
        async () =>
          config(`https://127.0.0.1:${await secure([{ type: "dns", value: "a" }])}`, { caData: bytes(ca.pem) }),
        `${x509}cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
      ],
      [
        "no names",
        async () => config(`https://127.0.0.1:${await secure([])}`, { caData: bytes(ca.pem), serverName: "foo" }),
        `${x509}certificate is not valid for any names, but wanted to match foo`,
      ],
      [
        "an expired certificate, whatever else is wrong with it",
        async () => config(`https://127.0.0.1:${await secure([], { days: -1 })}`),
        /x509: certificate has expired or is not yet valid: current time \S+Z is after \S+Z$/,
      ],
      [
        "a certificate whose authority has expired",
        async () =>
          config(`https://127.0.0.1:${await secure([{ type: "ip", value: "127.0.0.1" }], { by: expired })}`, {
            caData: bytes(expired.pem),
          }),
        /x509: certificate has expired or is not yet valid: current time \S+Z is after \S+Z$/,
      ],
      [
        "a server that hangs up",
        async () => config(`http://127.0.0.1:${await tcp((socket) => socket.once("data", () => socket.end()))}`),
        "EOF",
      ],
    ])("%s", async (_, target, reason) => {
      const where = await target();
      const error: unknown = await get(where).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: "TransportError", op: "Get", url: `${where.server}/x` });
      if (typeof reason === "string") expect(error).toHaveProperty("message", `Get "${where.server}/x": ${reason}`);
      else expect(String(error)).toMatch(reason);
    });

    test("a certificate that has expired by the given clock", async () => {
      const port = await secure([{ type: "ip", value: "127.0.0.1" }]);
      const clock = { now: () => Date.parse("2300-01-02T03:04:05Z") };
      const transport = make(config(`https://127.0.0.1:${port}`, { caData: bytes(ca.pem) }), { clock });
      await expect(transport.send({ method: "GET", path: "/x", headers: USUAL })).rejects.toThrow(
        `${x509}certificate has expired or is not yet valid: current time 2300-01-02T03:04:05Z is after`,
      );
      await transport.close();
    });
  });

  test.each<[string, Partial<TransportConfig["tls"]>, string]>([
    [
      "an authority beside --insecure-skip-tls-verify",
      { caData: bytes("-----BEGIN CERTIFICATE-----"), insecureSkipVerify: true },
      "specifying a root certificates file with the insecure flag is not allowed",
    ],
    [
      "an authority that is no PEM",
      { caData: bytes("x") },
      "unable to load root certificates: unable to parse bytes as PEM block",
    ],
  ])("refuses %s before it connects", (_, tls, message) => {
    expect(() => make(config("https://127.0.0.1:1", tls))).toThrow(message);
  });
});
