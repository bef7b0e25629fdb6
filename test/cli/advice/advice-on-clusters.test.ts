import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { newAuthority } from "../../helpers/tls-peer.js";
import { runCli } from "../../helpers/run-cli.js";

const REFUSED = "error: You must be logged in to the server (Unauthorized)\n";
const YEAR = 365 * 86_400_000;
const PAST = Date.UTC(2026, 4, 31, 12);
const FUTURE = Date.UTC(2088, 0, 1);

let folder: string;
let cluster: Cluster;
let authority: KeyPair;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-own-"));
  authority = newAuthority();
  writeFileSync(join(folder, "ca.pem"), authority.certificate);
  cluster = await startCluster({ authentication: { clientCaFiles: [join(folder, "ca.pem")] } });
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

const issued = (notBefore: number, notAfter: number, by = authority): KeyPair =>
  issueCertificate(
    { commonName: "me", organizations: ["system:masters"], notBefore, notAfter, serial: Buffer.of(9), usage: "client" },
    issuerOf(by, "tls-root"),
  );

/** What a command prints whose kubeconfig has these credentials of user "me". */
async function printed(user: Readonly<Record<string, string>>, terminal: boolean): Promise<string> {
  const kubeconfig = join(folder, "kubeconfig");
  const data = Buffer.from(cluster.caCertificate).toString("base64");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: cluster.url, "certificate-authority-data": data } }],
      users: [{ name: "me", user }],
      contexts: [{ name: "c", context: { cluster: "c", user: "me" } }],
      "current-context": "c",
    }),
  );
  const env = { HOME: folder, KUBECONFIG: kubeconfig, NO_COLOR: "1" };
  return (await runCli(["get", "--raw", "/api"], { env, terminal })).stderr;
}

function inFiles({ certificate, key }: KeyPair): Readonly<Record<string, string>> {
  const files = { "client-certificate": join(folder, "me.crt"), "client-key": join(folder, "me.key") };
  writeFileSync(files["client-certificate"], certificate);
  writeFileSync(files["client-key"], key);
  return files;
}

const inside = ({ certificate, key }: KeyPair): Readonly<Record<string, string>> => ({
  "client-certificate-data": Buffer.from(certificate).toString("base64"),
  "client-key-data": Buffer.from(key).toString("base64"),
});

test("a hint on a terminal says that the certificate of a file has expired, and when", async () => {
  expect(await printed(inFiles(issued(PAST - YEAR, PAST)), true)).toBe(
    `${REFUSED}Your client certificate in ${join(folder, "me.crt")} expired on 2026-05-31T12:00:00Z. Get a new one.\n`,
  );
});

test("a hint on a terminal says whose certificate in which kubeconfig has expired", async () => {
  const where = `user "me" in ${join(folder, "kubeconfig")}`;
  expect(await printed(inside(issued(PAST - YEAR, PAST)), true)).toBe(
    `${REFUSED}Your client certificate (client-certificate-data of ${where}) expired on 2026-05-31T12:00:00Z. Get a new one.\n`,
  );
});

test("a hint on a terminal says that a certificate is not valid yet", async () => {
  expect(await printed(inFiles(issued(FUTURE, FUTURE + YEAR)), true)).toBe(
    `${REFUSED}Your client certificate in ${join(folder, "me.crt")} is not valid before 2088-01-01T00:00:00Z. Check the clock of this machine.\n`,
  );
});

test("in a pipe an error about a certificate has only kubectl's text, without a hint", async () => {
  expect(await printed(inFiles(issued(PAST - YEAR, PAST)), false)).toBe(REFUSED);
});

test("no hint names an expired certificate for a valid certificate of another authority", async () => {
  expect(await printed(inFiles(issued(PAST, FUTURE, newAuthority())), true)).toBe(REFUSED);
});
