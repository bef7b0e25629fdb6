import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createClusterPki } from "../../src/cluster/pki/cluster-pki.js";
import { systemClock } from "../../src/base/clock.js";
import { systemRandom } from "../../src/base/random.js";

test("the CA signs what the cluster shows, for every name it is reached by", () => {
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

test("certificates hold by the machine's clock too when the cluster's stands elsewhere", () => {
  const pki = createClusterPki({ now: () => Date.parse("2001-01-01T00:00:00Z") }, systemRandom, systemClock);
  const server = new X509Certificate(pki.server.certificate);
  expect(Date.parse(server.validFrom)).toBeLessThan(Date.parse("2001-01-01T00:00:00Z"));
  expect(Date.parse(server.validTo)).toBeGreaterThan(Date.now());
});
