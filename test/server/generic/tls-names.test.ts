import { connect as connectHttp2 } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { issueCertificate, issuerOf } from "../../../src/machinery/crypto/issue-certificate.js";
import { type Listener, type ListenerTls, listen } from "../../../src/server/generic/secure-listener.js";
import type { NamedPair } from "../../../src/server/generic/transport/named-certificates.js";
import { askOver, handshake, newAuthority, openTls, seenOf, servingCertificate } from "../../helpers/tls-peer.js";

const ca = newAuthority();
const main = servingCertificate(ca, "main", ["main.example.com", "127.0.0.1"]);
const pair = (commonName: string, certificateNames: readonly string[], ...names: readonly string[]): NamedPair => ({
  ...servingCertificate(ca, commonName, certificateNames),
  names,
});

const listeners: Listener[] = [];
afterAll(async () => {
  await Promise.all(listeners.map((each) => each.close()));
});

async function listening(tls: Omit<ListenerTls, "clientCa">, clientCa = ca.certificate): Promise<Listener> {
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { ...tls, clientCa },
    clock: systemClock,
    stopping: new AbortController().signal,
    async handle(exchange) {
      const name = Buffer.from(exchange.clientCertificate?.commonName ?? "nobody");
      await exchange.respond(200, { "content-length": String(name.length) }).end(name);
    },
  });
  listeners.push(listener);
  return listener;
}

const EXACT = pair("exact", [], "a.example.com");
const WILD = pair("wild", [], "*.example.com");
const OWN = pair("own.example.org", ["shop.example.org", "*.pay.example.org", "10.0.0.1"]);

describe("a TLS client that asks for a server name", () => {
  test.each<[string, readonly NamedPair[], string | undefined, string]>([
    ["a name that is given gets its certificate", [EXACT], "a.example.com", "exact"],
    ["a name in other letters gets the same", [EXACT], "A.Example.COM", "exact"],
    ["a name below a wildcard gets the wildcard's", [WILD], "b.example.com", "wild"],
    ["an exact name beside a wildcard gets the exact one", [WILD, EXACT], "a.example.com", "exact"],
    ["the name above a wildcard gets the main one", [WILD], "example.com", "main"],
    ["a name two labels below a wildcard gets the main one", [WILD], "x.b.example.com", "main"],
    ["a name that is on no list gets the main one", [EXACT, WILD], "other.example.net", "main"],
    ["no name gets the main one", [EXACT, WILD], undefined, "main"],
    ["the common name of a certificate without given names gets it", [OWN], "own.example.org", "own.example.org"],
    ["an alternative name of such a certificate gets it", [OWN], "shop.example.org", "own.example.org"],
    ["a name below its wildcard gets it", [OWN], "x.pay.example.org", "own.example.org"],
    [
      "a given name gets that pair before one whose certificate has it",
      [pair("first", ["a.example.com"]), EXACT],
      "a.example.com",
      "exact",
    ],
    [
      "a name that two pairs were given gets the earlier",
      [pair("first", [], "a.example.com"), EXACT],
      "a.example.com",
      "first",
    ],
    [
      "a name that two certificates have gets the earlier",
      [pair("first", ["d.example.com"]), pair("second", ["d.example.com"])],
      "d.example.com",
      "first",
    ],
    [
      "a certificate's exact name gets it before a given wildcard",
      [WILD, pair("first", ["d.example.com"])],
      "d.example.com",
      "first",
    ],
    [
      "a name that is not given, of a certificate with given names, gets it where the main one is not valid for it",
      [pair("first", ["d.example.net"], "elsewhere.example.com")],
      "d.example.net",
      "first",
    ],
    [
      "a name that the main certificate is valid for gets that",
      [pair("first", ["main.example.com"], "elsewhere.example.com")],
      "main.example.com",
      "main",
    ],
    ["no name gets what was given for the address", [pair("address", [], "127.0.0.1")], undefined, "address"],
    [
      "a name beside a pair for the address gets the main one",
      [pair("address", [], "127.0.0.1")],
      "other.example.net",
      "main",
    ],
    ["no name does not get an address of a certificate", [pair("address", ["127.0.0.1"])], undefined, "main"],
    ["one label gets a pair for the star", [pair("star", [], "*")], "localhost", "star"],
  ])("%s", async (_, named, servername, shown) => {
    const { port } = await listening({ ...main, named });
    expect(await handshake(port, servername === undefined ? {} : { servername })).toMatchObject({ shown });
  });
});

describe("a TLS connection with a server name", () => {
  let listener: Listener;
  beforeAll(async () => {
    listener = await listening({ ...main, named: [EXACT, WILD] });
  });

  test("authenticates its client, also when it resumes a session", async () => {
    const client = issueCertificate(
      {
        commonName: "jane",
        notBefore: Date.now() - 1000,
        notAfter: Date.now() + 1e6,
        serial: Buffer.of(7),
        usage: "client",
      },
      issuerOf(ca, "tls-root"),
    );
    const options = { servername: "a.example.com", cert: client.certificate, key: client.key };
    const first = await openTls(listener.port, options);
    const ticket = new Promise<Buffer>((resolve) => first.once("session", resolve));
    expect([await askOver(first), seenOf(first)]).toMatchObject(["jane", { shown: "exact", resumed: false }]);
    const session = await ticket;
    first.destroy();
    const second = await openTls(listener.port, { ...options, session });
    expect([await askOver(second), seenOf(second)]).toMatchObject(["jane", { resumed: true }]);
    second.destroy();
  });

  test("supports HTTP/2 as well", async () => {
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, {
      servername: "b.example.com",
      rejectUnauthorized: false,
    });
    const body = await new Promise<string>((resolve, reject) => {
      let text = "";
      session.on("error", reject);
      session
        .request({ ":path": "/" })
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve(text));
    });
    expect(body).toBe("nobody");
    session.close();
  });
});

describe("exchanging certificates with show()", () => {
  test("applies to new connections, and open ones continue", async () => {
    const listener = await listening({ ...main, named: [EXACT] });
    const [open, named] = await Promise.all([
      openTls(listener.port),
      openTls(listener.port, { servername: "a.example.com" }),
    ]);
    listener.show({
      ...servingCertificate(ca, "renewed"),
      named: [{ ...servingCertificate(ca, "renewed-exact"), names: ["a.example.com"] }],
    });
    expect(await handshake(listener.port)).toMatchObject({ shown: "renewed" });
    expect(await handshake(listener.port, { servername: "a.example.com" })).toMatchObject({ shown: "renewed-exact" });
    expect(await Promise.all([askOver(open), askOver(named)])).toEqual(["nobody", "nobody"]);
    expect([seenOf(open).shown, seenOf(named).shown]).toEqual(["main", "exact"]);
    for (const socket of [open, named]) socket.destroy();
  });

  test("ends resumption of earlier sessions, whose clients see the new certificate", async () => {
    const listener = await listening(main);
    const before = await openTls(listener.port);
    const ticket = new Promise<Buffer>((resolve) => before.once("session", resolve));
    await askOver(before);
    const session = await ticket;
    before.destroy();
    expect(await handshake(listener.port, { session })).toMatchObject({ resumed: true });
    listener.show(servingCertificate(ca, "renewed"));
    expect(await handshake(listener.port, { session })).toMatchObject({ shown: "renewed", resumed: false });
  });

  test("refuses an invalid pair, and keeps the former", async () => {
    const listener = await listening({ ...main, named: [EXACT] });
    expect(() => listener.show({ ...main, key: EXACT.key })).toThrow();
    expect(() => listener.show({ ...main, named: [{ ...EXACT, key: main.key }] })).toThrow(
      "tls: private key does not match public key",
    );
    expect(await handshake(listener.port)).toMatchObject({ shown: "main" });
    expect(await handshake(listener.port, { servername: "a.example.com" })).toMatchObject({ shown: "exact" });
  });

  test("applies new client authorities for every server name, and keeps the certificates", async () => {
    const clients = newAuthority();
    const listener = await listening({ ...main, named: [EXACT] });
    const jane = issueCertificate(
      {
        commonName: "jane",
        notBefore: Date.now() - 1000,
        notAfter: Date.now() + 1e6,
        serial: Buffer.of(9),
        usage: "client",
      },
      issuerOf(clients, "tls-root"),
    );
    const ask = async (servername?: string): Promise<string> => {
      const named = servername === undefined ? {} : { servername };
      const socket = await openTls(listener.port, { ...named, cert: jane.certificate, key: jane.key });
      const answer = `${await askOver(socket)} at ${seenOf(socket).shown}`;
      socket.destroy();
      return answer;
    };
    expect([await ask(), await ask("a.example.com")]).toEqual(["nobody at main", "nobody at exact"]);
    listener.trust({ clientCa: clients.certificate });
    expect([await ask(), await ask("a.example.com")]).toEqual(["jane at main", "jane at exact"]);
  });
});

test.each([
  ["without a name", undefined],
  ["with a name", "a.example.com"],
])("an intermediate authority is trusted by itself, %s", async (_, servername) => {
  const root = newAuthority();
  const between = newAuthority(root);
  const jane = issueCertificate(
    {
      commonName: "jane",
      notBefore: Date.now() - 1000,
      notAfter: Date.now() + 1e6,
      serial: Buffer.of(8),
      usage: "client",
    },
    issuerOf(between, "tls-between"),
  );
  const listener = await listening({ ...main, named: [EXACT] }, between.certificate);
  const named = servername === undefined ? {} : { servername };
  const socket = await openTls(listener.port, { ...named, cert: jane.certificate, key: jane.key });
  expect(await askOver(socket)).toBe("jane");
  socket.destroy();
});
