import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { errorMessage } from "../../src/base/text/error-message.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { configFromText, kubernetesClient } from "../../src/client/index.js";
import { servingFault } from "../../src/cluster/certificate-faults.js";
import { servingFiles } from "../../src/cluster/apiserver/api-server-files.js";
import { startCluster } from "../../src/cluster/index.js";
import { issueCertificate } from "../../src/machinery/crypto/issue-certificate.js";
import { type ClusterPki, createClusterPki } from "../../src/cluster/pki/cluster-pki.js";
import { openPki } from "../../src/cluster/pki/open-pki.js";

/** What the first version of the program and the first of its envtest made, on 28 November 2026. */
const earlier = JSON.parse(readFileSync(join(import.meta.dirname, "earlier-certificates.json"), "utf8")) as {
  readonly cluster: ClusterPki;
  readonly envtest: { readonly certificate: string; readonly key: string };
};
const THEN = Date.UTC(2026, 10, 29);
const YEAR = 365 * 86_400_000;
const clockAt = (now: number) => ({ now: () => now });

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "kubets-earlier-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const keptIn = (): string => readFileSync(join(folder, "pki.json"), "utf8");

/** Opens the certificates of the folder as a server does at a time, and says what it tells its owner. */
async function opened(now: number, kept: ClusterPki): Promise<{ readonly pki: ClusterPki; readonly lines: string[] }> {
  writeFileSync(join(folder, "pki.json"), JSON.stringify(kept));
  const lines: string[] = [];
  const options = { storage: "disk", dataDir: folder, onWarning: (line: string) => lines.push(line) } as const;
  const pki = await openPki(options, clockAt(now), clockAt(now), systemRandom);
  return { pki, lines };
}

describe("certificates in a data folder that an earlier version of kubets wrote", () => {
  test("are used unchanged while they are valid", async () => {
    const { pki, lines } = await opened(THEN, earlier.cluster);
    expect(lines).toEqual([]);
    expect(pki.server.certificate).toBe(earlier.cluster.server.certificate);
    expect(servingFault(pki.server.certificate, pki.ca.certificate, THEN)).toBeUndefined();
  });

  test("are renewed by their authority when the server's certificate has expired, with a log line", async () => {
    const made = createClusterPki(clockAt(THEN), systemRandom, clockAt(THEN));
    const later = createClusterPki(clockAt(THEN + 5 * YEAR), systemRandom, clockAt(THEN + 5 * YEAR));
    // An authority that holds longer than what it signed.
    const now = THEN + 12 * YEAR;
    const old = createClusterPki(clockAt(THEN), systemRandom, clockAt(THEN), { ca: later.ca, token: made.token });
    const { pki, lines } = await opened(now, old);
    expect(lines.map((line) => line.replace(/current time \S+/, "NOW"))).toEqual([
      `the certificates in ${folder} are renewed: the server's: x509: certificate has expired or is not yet valid: NOW is after 2036-11-26T00:00:00Z`,
    ]);
    expect(pki.ca).toEqual(old.ca);
    expect(pki.token).toBe(made.token);
    expect(servingFault(pki.server.certificate, pki.ca.certificate, now)).toBeUndefined();
    expect(JSON.parse(keptIn())).toEqual(pki);
    expect(statSync(join(folder, "pki.json")).mode & 0o777).toBe(0o600);
    expect((await opened(now, pki)).lines).toEqual([]);
  });

  test("are all renewed when the authority has expired, and tokens remain valid", async () => {
    const { pki, lines } = await opened(THEN + 12 * YEAR, earlier.cluster);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/are renewed: the authority's: x509: certificate has expired/);
    expect(pki.ca.certificate).not.toBe(earlier.cluster.ca.certificate);
    expect(pki.token).toBe(earlier.cluster.token);
    expect(pki.serviceAccountKey).toBe(earlier.cluster.server.key);
  });

  test("are not touched when they are damaged", async () => {
    const damaged = { ...earlier.cluster, ca: { ...earlier.cluster.ca, certificate: "" } };
    const { lines } = await opened(THEN, damaged);
    expect(lines).toEqual([]);
    expect(JSON.parse(keptIn())).toEqual(damaged);
  });
});

test("a cluster on a data folder of the first version answers its administrator", async () => {
  writeFileSync(join(folder, "pki.json"), JSON.stringify(earlier.cluster));
  const cluster = await startCluster({ storage: "disk", dataDir: folder });
  try {
    const client = kubernetesClient(await configFromText(cluster.kubeconfig()));
    expect((await client.of("v1", "Namespace").get("default")).metadata?.name).toBe("default");
    await client.close();
  } finally {
    await cluster.close();
  }
});

describe("the certificate in envtest's folder", () => {
  const files = () => ({ certFile: "", keyFile: "", certDir: folder, host: "127.0.0.1" });
  const shown = async (now: number, { certificate, key } = earlier.envtest) => {
    writeFileSync(join(folder, "apiserver.crt"), certificate);
    writeFileSync(join(folder, "apiserver.key"), key);
    const lines: string[] = [];
    await servingFiles(files(), clockAt(now), systemRandom, (error) => lines.push(errorMessage(error)));
    return { certificate: readFileSync(join(folder, "apiserver.crt"), "utf8"), lines };
  };

  test("is used unchanged when the first version wrote it", async () => {
    expect(await shown(THEN)).toEqual({ certificate: earlier.envtest.certificate, lines: [] });
    expect(servingFault(earlier.envtest.certificate, "", THEN)).toBeUndefined();
  });

  test("is created again when it has expired, with a log line", async () => {
    const now = THEN + 2 * YEAR;
    const { certificate, lines } = await shown(now);
    expect(lines.map((line) => line.replace(/current time \S+/, "NOW"))).toEqual([
      `${join(folder, "apiserver.crt")} has expired on 2027-11-28T23:19:09.000Z and is made anew, with its key`,
    ]);
    expect(servingFault(certificate, "", now)).toBeUndefined();
  });

  test("is never replaced when a user put it there", async () => {
    const own = issueCertificate({
      commonName: "mine",
      organizations: ["me"],
      names: ["localhost", "127.0.0.1"],
      notBefore: THEN - YEAR,
      notAfter: THEN,
      serial: Buffer.of(3),
      usage: "server",
    });
    expect(await shown(systemClock.now() + YEAR, own)).toEqual({ certificate: own.certificate, lines: [] });
  });
});
