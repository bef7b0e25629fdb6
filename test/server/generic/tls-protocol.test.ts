import { spawn, spawnSync } from "node:child_process";
import type { ConnectionOptions } from "node:tls";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { type Listener, listen } from "../../../src/server/generic/secure-listener.js";
import { readTlsProtocol, type TlsProtocol } from "../../../src/server/generic/transport/tls-protocol.js";
import { handshake, newAuthority, refusal, rsaServingCertificate, servingCertificate } from "../../helpers/tls-peer.js";

const ca = newAuthority();
const pairs = { ec: servingCertificate(ca, "ec"), rsa: rsaServingCertificate(ca, "rsa") };
const listeners: Listener[] = [];
afterAll(async () => {
  await Promise.all(listeners.map((each) => each.close()));
});

async function portOf(protocol: TlsProtocol | undefined, kind: keyof typeof pairs = "ec"): Promise<number> {
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { ...pairs[kind], clientCa: ca.certificate, protocol },
    clock: systemClock,
    stopping: new AbortController().signal,
    async handle(exchange) {
      await exchange.respond(200, { "content-length": "2" }).end(Buffer.from("ok"));
    },
  });
  listeners.push(listener);
  return listener.port;
}

const upTo = (maxVersion: "TLSv1" | "TLSv1.1" | "TLSv1.2" | "TLSv1.3"): ConnectionOptions => ({
  maxVersion,
  minVersion: "TLSv1",
  ...(maxVersion < "TLSv1.2" && { ciphers: "DEFAULT@SECLEVEL=0" }),
});
const GCM = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";

describe("the minimum TLS version of the server", () => {
  test.each<[string, string, ConnectionOptions, string]>([
    ["without a minimum, TLS 1.3 is spoken", "", upTo("TLSv1.3"), "TLSv1.3"],
    ["without a minimum, TLS 1.2 is spoken", "", upTo("TLSv1.2"), "TLSv1.2"],
    ["VersionTLS12 speaks 1.2", "VersionTLS12", upTo("TLSv1.2"), "TLSv1.2"],
    ["VersionTLS13 speaks 1.3", "VersionTLS13", upTo("TLSv1.3"), "TLSv1.3"],
    ["VersionTLS11 speaks 1.1", "VersionTLS11", upTo("TLSv1.1"), "TLSv1.1"],
    ["VersionTLS11 speaks the best that both know", "VersionTLS11", upTo("TLSv1.3"), "TLSv1.3"],
    ["VersionTLS10 speaks 1.0", "VersionTLS10", upTo("TLSv1"), "TLSv1"],
  ])("decides the version: %s", async (_, minVersion, client, protocol) => {
    expect(await handshake(await portOf(readTlsProtocol(minVersion, [])), client)).toMatchObject({ protocol });
  });

  test.each([
    ["without a minimum, 1.1 is refused", "", upTo("TLSv1.1")],
    ["VersionTLS12 refuses 1.0", "VersionTLS12", upTo("TLSv1")],
    ["VersionTLS13 refuses 1.2", "VersionTLS13", upTo("TLSv1.2")],
    ["VersionTLS11 refuses 1.0", "VersionTLS11", upTo("TLSv1")],
  ])("refuses with a version alert: %s", async (_, minVersion, client) => {
    expect(await refusal(await portOf(readTlsProtocol(minVersion, [])), client)).toMatch(/alert protocol version/);
  });
});

describe("the TLS cipher suites of the server", () => {
  const only = (ciphers: string): ConnectionOptions => ({ ...upTo("TLSv1.2"), ciphers });

  test.each<[string, readonly string[], keyof typeof pairs, ConnectionOptions, string]>([
    ["a listed one is spoken", [GCM], "ec", upTo("TLSv1.2"), GCM],
    [
      "the order of the list means nothing",
      ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", GCM],
      "ec",
      upTo("TLSv1.2"),
      GCM,
    ],
    [
      "the old name of a suite stands for it",
      ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", GCM],
      "ec",
      only("ECDHE-ECDSA-CHACHA20-POLY1305"),
      "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    ],
    [
      "one without forward secrecy is spoken where it is listed",
      ["TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"],
      "rsa",
      only("AES128-GCM-SHA256"),
      "TLS_RSA_WITH_AES_128_GCM_SHA256",
    ],
    ["those of TLS 1.3 are on whatever is listed", [GCM], "ec", upTo("TLSv1.3"), "TLS_AES_128_GCM_SHA256"],
    [
      "Go's own have CBC for old clients",
      [],
      "rsa",
      only("ECDHE-RSA-AES256-SHA"),
      "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    ],
  ])("decide the suite: %s", async (_, suites, kind, client, cipher) => {
    const protocol = readTlsProtocol("", suites);
    expect(await handshake(await portOf(protocol, kind), client)).toMatchObject({ cipher });
  });

  test.each<[string, readonly string[], keyof typeof pairs, ConnectionOptions]>([
    ["one that is not listed is refused", [GCM], "ec", only("ECDHE-ECDSA-AES256-GCM-SHA384")],
    ["Go's own have none without forward secrecy", [], "rsa", only("AES128-GCM-SHA256")],
    [
      "one that OpenSSL was built without is refused",
      ["TLS_RSA_WITH_RC4_128_SHA", GCM],
      "ec",
      only("AES128-SHA:AES256-SHA"),
    ],
    ["a list for the other type of key serves nobody", [GCM], "rsa", upTo("TLSv1.2")],
  ])("refuse with a handshake alert: %s", async (_, suites, kind, client) => {
    expect(await refusal(await portOf(readTlsProtocol("", suites), kind), client)).toMatch(/alert handshake failure/);
  });
});

test.each<[string, string, readonly string[], string]>([
  ["a version that there is none of", "VersionTLS14", [], 'unknown tls version "VersionTLS14"'],
  ["a version as OpenSSL writes it", "TLSv1.2", [], 'unknown tls version "TLSv1.2"'],
  ["a suite that there is none of", "", [GCM, "TLS_NONE"], "Cipher suite TLS_NONE not supported or doesn't exist"],
  [
    "a suite as OpenSSL writes it",
    "",
    ["ECDHE-RSA-AES128-GCM-SHA256"],
    "Cipher suite ECDHE-RSA-AES128-GCM-SHA256 not supported or doesn't exist",
  ],
  [
    "suites without the one that HTTP/2 needs",
    "VersionTLS12",
    ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"],
    "error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)",
  ],
])("the server refuses TLS options with %s in kube-apiserver's words", (_, version, suites, message) => {
  expect(() => readTlsProtocol(version, suites)).toThrow(new Error(message));
});

test("cipher suites without the one that HTTP/2 needs are accepted when only TLS 1.3 is spoken", async () => {
  const protocol = readTlsProtocol("VersionTLS13", ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"]);
  expect(await handshake(await portOf(protocol))).toMatchObject({ protocol: "TLSv1.3" });
});

const noOpenssl = spawnSync("openssl", ["version"]).status === 0 ? undefined : "openssl is not installed";
if (noOpenssl !== undefined) process.stdout.write(`openssl's handshakes are skipped: ${noOpenssl}\n`);

/** The protocol and the suite that `openssl s_client` speaks with the server. */
function openssl(port: number, ...argv: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("openssl", ["s_client", "-brief", "-connect", `127.0.0.1:${port}`, ...argv]);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.on("error", reject);
    child.on("close", () => resolve(said));
    child.stdin.end();
  });
}

describe.skipIf(noOpenssl !== undefined)("openssl as a client", () => {
  test("can connect with the allowed versions and suites, and no others", async () => {
    const port = await portOf(readTlsProtocol("VersionTLS12", [GCM]));
    expect(await openssl(port, "-tls1_2")).toMatch(
      /Protocol version: TLSv1\.2\nCiphersuite: ECDHE-ECDSA-AES128-GCM-SHA256/,
    );
    expect(await openssl(port, "-tls1_3")).toMatch(/Protocol version: TLSv1\.3/);
    expect(await openssl(port, "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")).toMatch(/alert protocol version/);
    expect(await openssl(port, "-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384")).toMatch(
      /alert handshake failure/,
    );
  });
});
