import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import { systemRoots } from "../../../src/client/transport/tls-options.js";
import { type Authority, authority } from "./certificates.js";

const { createSecureContext } = tls;

let folder: string;
let env: Record<string, string>;
let known: Authority;
let unknown: Authority;
let server: Server;
let origin: string;
/** How often OpenSSL has read a list of authorities. */
let contexts = 0;

beforeAll(async () => {
  known = await authority("known");
  unknown = await authority("unknown");
  server = createServer(await known.issue([{ type: "ip", value: "127.0.0.1" }]), (_, response) => response.end("hi"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  tls.createSecureContext = (options) => {
    if (/CERTIFICATE/.test(String(options?.ca))) contexts++;
    return createSecureContext(options);
  };
  syncBuiltinESMExports();
});
afterAll(() => {
  tls.createSecureContext = createSecureContext;
  syncBuiltinESMExports();
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-roots-"));
  mkdirSync(join(folder, "certificates"));
  env = { SSL_CERT_FILE: join(folder, "bundle.pem"), SSL_CERT_DIR: join(folder, "certificates") };
  writeFileSync(env["SSL_CERT_FILE"] as string, `${known.pem}\n${unknown.pem}`);
  for (const name of ["known.pem", "0a1b2c3d.0"]) writeFileSync(join(folder, "certificates", name), known.pem);
  contexts = 0;
  return () => rmSync(folder, { recursive: true, force: true });
});

const blocks = (roots: readonly string[] | undefined): number => (roots ?? []).join("").split("-----BEGIN ").length - 1;

async function ask(config: { readonly caData?: Uint8Array } = {}): Promise<void> {
  const transport = createTransport({ server: origin, tls: { insecureSkipVerify: false, ...config } }, { env });
  try {
    const { body } = await transport.send({ method: "GET", path: "/", headers: { connection: "close" } });
    for await (const _ of body);
    const again = await transport.send({ method: "GET", path: "/", headers: { connection: "close" } });
    for await (const _ of again.body);
  } finally {
    await transport.close();
  }
}

test("a certificate that the system has both in its bundle and in its folder counts as one authority", () => {
  expect(blocks(systemRoots(env))).toBe(2);
});

test("transports read the system's authorities once, and OpenSSL parses them for no connection", async () => {
  await ask();
  rmSync(folder, { recursive: true });
  await ask();
  expect(contexts).toBe(0);
});

test("OpenSSL parses the authorities of a kubeconfig once, and not for each connection of its transport", async () => {
  await ask({ caData: Buffer.from(known.pem) });
  expect(contexts).toBe(0);
});

test("a server whose authority the system does not know is refused, however often it is asked", async () => {
  writeFileSync(env["SSL_CERT_FILE"] as string, unknown.pem);
  env["SSL_CERT_DIR"] = "";
  for (let round = 0; round < 2; round++)
    await expect(ask()).rejects.toThrow("x509: certificate signed by unknown authority");
  expect(contexts).toBe(0);
});
