import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kubeconfigText } from "../../src/cluster/kubeconfig.js";
import { type ClusterPki, createClusterPki } from "../../src/cluster/pki/cluster-pki.js";
import { loadOrCreatePki } from "../../src/cluster/pki/stored-pki.js";
import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";

test("the cluster's authority signs its server certificate for every name by which it can be reached", () => {
  const pki = createClusterPki(systemClock, systemRandom, systemClock);
  const ca = new X509Certificate(pki.ca.certificate);
  const server = new X509Certificate(pki.server.certificate);
  const admin = new X509Certificate(pki.admin.certificate);
  expect(ca.ca).toBe(true);
  expect([ca, server, admin].map((one) => one.verify(ca.publicKey))).toEqual([true, true, true]);
  expect(["127.0.0.1", "::1"].map((ip) => server.checkIP(ip))).toEqual(["127.0.0.1", "::1"]);
  expect(server.checkHost("localhost")).toBe("localhost");
  expect(admin.subject).toBe("O=system:masters\nCN=kubernetes-admin");
  expect(new Set([ca, server, admin].map(({ serialNumber }) => serialNumber)).size).toBe(3);
});

test("certificates are valid by the machine's clock also when the cluster's clock differs", () => {
  const pki = createClusterPki({ now: () => Date.parse("2001-01-01T00:00:00Z") }, systemRandom, systemClock);
  const server = new X509Certificate(pki.server.certificate);
  expect(Date.parse(server.validFrom)).toBeLessThan(Date.parse("2001-01-01T00:00:00Z"));
  expect(Date.parse(server.validTo)).toBeGreaterThan(Date.now());
});

interface Kubeconfig {
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

/** The administrator's certificate and key in a kubeconfig, both as PEM. */
function administratorOf(pki: ClusterPki): { certificate: string; key: string } {
  const { users } = JSON.parse(kubeconfigText("kubets", "https://127.0.0.1:6443", pki)) as Kubeconfig;
  const text = (field: string) => Buffer.from(users[0]?.user[field] ?? "", "base64").toString();
  return { certificate: text("client-certificate-data"), key: text("client-key-data") };
}

test("the key in a kubeconfig is in SEC1 form, for clients that cannot read PKCS #8", () => {
  const { certificate, key } = administratorOf(createClusterPki(systemClock, systemRandom, systemClock));
  expect(key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
});

test("a stored key in PKCS #8 form is converted to SEC1, and its certificate is kept", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kubets-pki-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const create = (): ClusterPki => createClusterPki(systemClock, systemRandom, systemClock);
  const made = await loadOrCreatePki(folder, create);
  const file = join(folder, "pki.json");
  const kept = JSON.parse(await readFile(file, "utf8")) as ClusterPki;
  const pkcs8 = createPrivateKey(kept.admin.key).export({ type: "pkcs8", format: "pem" });
  await writeFile(file, JSON.stringify({ ...kept, admin: { ...kept.admin, key: pkcs8 } }));
  const { certificate, key } = administratorOf(await loadOrCreatePki(folder, create));
  expect(key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  expect(certificate).toBe(made.admin.certificate);
});
