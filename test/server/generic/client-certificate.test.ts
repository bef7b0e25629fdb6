import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { createClusterPki } from "../../../src/cluster/pki/cluster-pki.js";
import { type Listener, listen } from "../../../src/server/generic/secure-listener.js";

const pki = createClusterPki(systemClock, systemRandom, systemClock);
const foreign = createClusterPki(systemClock, systemRandom, systemClock);
const stopping = new AbortController();
let listener: Listener;

beforeAll(async () => {
  listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { certificate: pki.server.certificate, key: pki.server.key, clientCa: pki.ca.certificate },
    clock: systemClock,
    stopping: stopping.signal,
    async handle(exchange) {
      const name = Buffer.from(exchange.clientCertificate?.commonName ?? "nobody");
      await exchange.respond(200, { "content-length": String(name.length) }).end(name);
    },
  });
});

afterAll(() => listener.close());

/** Who the server takes the caller for: on a new connection, and on one that resumes its session. */
async function seenAs(pair?: KeyPair): Promise<readonly string[]> {
  let session: Buffer | undefined;
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const socket: TLSSocket = connectTls({
        host: "127.0.0.1",
        port: listener.port,
        ca: pki.ca.certificate,
        servername: "localhost",
        ...(session && { session }),
        ...(pair && { cert: pair.certificate, key: pair.key }),
      });
      socket.on("session", (ticket) => (session = ticket));
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
      socket.on("error", reject);
      socket.on("close", () => resolve(text.slice(text.indexOf("\r\n\r\n") + 4)));
      socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    });
  return [await ask(), await ask()];
}

const DAY = 86_400_000;

function issued(usage: "client" | "server", notAfter: number): KeyPair {
  const validity = { notBefore: Date.now() - 10 * DAY, notAfter };
  const issuer = issuerOf(pki.ca, "kubernetes");
  return issueCertificate({ commonName: "somebody", ...validity, serial: systemRandom.bytes(16), usage }, issuer);
}

test("a certificate of the cluster's authority authenticates its user", async () => {
  expect(await seenAs(pki.admin)).toEqual(["kubernetes-admin", "kubernetes-admin"]);
  expect(await seenAs(issued("client", Date.now() + DAY))).toEqual(["somebody", "somebody"]);
});

test.each([
  ["no certificate", undefined],
  ["a certificate of another CA of the same name", foreign.admin],
  ["an expired certificate", issued("client", Date.now() - DAY)],
  ["a certificate for servers", issued("server", Date.now() + DAY)],
])("%s authenticates nobody", async (_, pair) => {
  expect(await seenAs(pair)).toEqual(["nobody", "nobody"]);
});
