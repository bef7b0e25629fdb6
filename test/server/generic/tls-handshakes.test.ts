import { once } from "node:events";
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { constants } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { createClusterPki } from "../../../src/cluster/pki/cluster-pki.js";
import { certificatesIn } from "../../../src/machinery/crypto/certificates.js";
import { type ConnectionLimits, type Listener, listen } from "../../../src/server/generic/secure-listener.js";
import { refusesTickets } from "../../../src/server/generic/transport/client-hello.js";
import { askOver, openTls } from "../../helpers/tls-peer.js";

const pki = createClusterPki(systemClock, systemRandom, systemClock);
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Answers each request with the common name of its client's certificate. */
async function open(limits: Partial<ConnectionLimits> = {}): Promise<Listener> {
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { ...pki.server, clientCa: pki.ca.certificate },
    clock: systemClock,
    stopping: new AbortController().signal,
    async handle(exchange) {
      const name = Buffer.from(exchange.clientCertificate?.commonName ?? "nobody");
      await exchange.respond(200, { "content-length": String(name.length) }).end(name);
    },
    limits,
  });
  closing.push(() => listener.close());
  return listener;
}

const admin: ConnectionOptions = { cert: pki.admin.certificate, key: pki.admin.key };

/** The bytes of what a client of this Node sends first. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const server = createTcpServer();
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connectTls({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, ...options });
  client.on("error", () => {});
  const [socket] = (await once(server, "connection")) as [Socket];
  socket.on("error", () => {});
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return bytes;
}

/** What crypto/tls of Go 1.26 sends for "kubernetes" with ALPN "h2": as client-go, and with a ClientSessionCache. */
const GO =
  "160301011f0100011b0303dd09eced2fde3b608d355ea9c2648817054f74f67387b08885141bbcb05315c5202830aa14aa8dd5396a36ecfa00b48106f3b987b2c9c8894b6f671975a2e68db0001ac02bc02fc02cc030cca9cca8c009c013c00ac014130113021303010000b80000000f000d00000a6b756265726e65746573000b00020100ff010001000017000000120000000500050100000000000a00040002001d000d001a00180804040308070805080604010501060105030603020102030032001a00180804040308070805080604010501060105030603020102030010000e000c02683208687474702f312e31002b00050403040303003300260024001d0020b3c3d08324a5dc4f8f2170ed3a334bbe14c27ed8478e4c2eb6049f4394c06b45";
const GO_WITH_CACHE =
  "1603010129010001250303a3bd7287f6c2ebccd253778521edbbafc8629920b2bcc447fc1f9395595638ee20425c28d2e23c9bc0af10f3a48756ffea8c1a5d146a665f384af3f2dc060f0974001ac02bc02fc02cc030cca9cca8c009c013c00ac014130113021303010000c20000000f000d00000a6b756265726e65746573000b0002010000230000ff010001000017000000120000000500050100000000000a00040002001d000d001a00180804040308070805080604010501060105030603020102030032001a00180804040308070805080604010501060105030603020102030010000e000c02683208687474702f312e31002b00050403040303003300260024001d0020af2b7ff493f4e767e92b595028d6a86acf8c7e468d17ae4f6af2b0408ae7cf16002d00020101";
const bytesOf = (hex: string): Buffer => Buffer.from(hex, "hex");

describe("a TLS ClientHello shows whether its client uses session tickets:", () => {
  test("those of Go do", () => {
    expect(refusesTickets(bytesOf(GO))).toBe(true);
    expect(refusesTickets(bytesOf(GO_WITH_CACHE))).toBe(false);
  });

  test.each<[string, ConnectionOptions, boolean]>([
    ["of Node", {}, false],
    ["of Node by TLS 1.2 alone", { maxVersion: "TLSv1.2" }, false],
    ["of Node by TLS 1.2 without tickets", { maxVersion: "TLSv1.2", secureOptions: constants.SSL_OP_NO_TICKET }, true],
  ])("those %s", async (_, options, refuses) => {
    expect(refusesTickets(await helloOf(options))).toBe(refuses);
  });

  test("a truncated or wrong one shows nothing", () => {
    const whole = bytesOf(GO);
    for (let length = 0; length < whole.length; length++) expect(refusesTickets(whole.subarray(0, length))).toBe(false);
    expect(refusesTickets(Buffer.from("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"))).toBe(false);
    // Any byte may be another: nothing throws, and no length leads past the end.
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] = 0xff;
      expect(typeof refusesTickets(changed)).toBe("boolean");
    }
  });
});

describe("a TLS client with a session resumes it", () => {
  test.each<[string, ConnectionOptions]>([
    ["TLS 1.3", {}],
    ["TLS 1.2", { maxVersion: "TLSv1.2" }],
  ])("by %s, and is still the same user", async (_, options) => {
    const { port } = await open();
    const first = await openTls(port, { ...admin, ...options });
    let session: Buffer | undefined;
    first.on("session", (ticket) => (session = ticket));
    expect(await askOver(first)).toBe("kubernetes-admin");
    // By TLS 1.2 the session is there before the handshake ends.
    session ??= first.getSession();
    first.destroy();
    const second = await openTls(port, { ...admin, ...options, ...(session && { session }) });
    expect(second.isSessionReused()).toBe(true);
    expect(await askOver(second)).toBe("kubernetes-admin");
    second.destroy();
  });
});

test("the server's port sends its certificate and the one that issued it", async () => {
  const { port } = await open();
  const socket = await openTls(port, { ca: "" });
  const shown = socket.getPeerCertificate(true);
  const [issuer] = certificatesIn(pki.ca.certificate);
  expect(shown.issuerCertificate.fingerprint256).toBe(issuer?.fingerprint256);
  socket.destroy();
});

test.each([1, 5, 100])("a TLS ClientHello that arrives in pieces of %s bytes is answered", async (size) => {
  const { port } = await open();
  const proxy = createTcpServer((client) => {
    const server = connectTcp({ host: "127.0.0.1", port, noDelay: true });
    for (const socket of [client, server]) socket.on("error", () => {});
    closing.push(
      () => client.destroy(),
      () => server.destroy(),
    );
    server.pipe(client);
    let sent = Promise.resolve();
    // Each piece is written when the one before it has left.
    client.on("data", (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += size) {
        const piece = chunk.subarray(at, at + size);
        sent = sent.then(() => new Promise((done) => server.write(piece, () => setImmediate(done))));
      }
    });
  });
  closing.push(() => new Promise((resolve) => proxy.close(resolve)));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const socket = await openTls((proxy.address() as AddressInfo).port, admin);
  expect(await askOver(socket)).toBe("kubernetes-admin");
  socket.destroy();
});

describe("before its first byte a TLS client", () => {
  test("may be silent for as long as a handshake may take, and no longer", async () => {
    const { port } = await open({ handshake: 20 });
    const socket = connectTcp({ host: "127.0.0.1", port });
    socket.on("error", () => {}).resume();
    await once(socket, "close");
  });

  test.each(["end", "destroy", "resetAndDestroy"] as const)("may %s its connection", async (way) => {
    const listener = await open();
    const socket = connectTcp({ host: "127.0.0.1", port: listener.port });
    await once(socket, "connect");
    const closed = once(socket.resume(), "close");
    socket[way]();
    await closed;
    const next = await openTls(listener.port, admin);
    expect(await askOver(next)).toBe("kubernetes-admin");
    next.destroy();
  });
});
