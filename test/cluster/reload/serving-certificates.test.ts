import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { errorMessage } from "../../../src/base/text/error-message.js";
import { configFromText, kubernetesClient } from "../../../src/client/index.js";
import { type Cluster, startCluster, type TlsOptions } from "../../../src/cluster/index.js";
import type { KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { openServingCertificates, type ServingCertificates } from "../../../src/cluster/reload/serving-certificates.js";
import { type Listener, listen } from "../../../src/server/generic/secure-listener.js";
import { call } from "../../helpers/api-caller.js";
import { chainOf, keyOf, pemOf } from "../../helpers/certificate-chains.js";
import { eventually } from "../../helpers/eventually.js";
import { fasterTimers } from "../../helpers/faster-timers.js";
import { replaceFile } from "../../helpers/replace-file.js";
import { askOver, handshake, newAuthority, openTls, servingCertificate } from "../../helpers/tls-peer.js";

const ca = newAuthority();
const serving = (commonName: string, ...names: readonly string[]): KeyPair =>
  servingCertificate(ca, commonName, ["127.0.0.1", ...names]);

let folder: string;
const file = (name: string): string => join(folder, name);
const files = (name: string) => ({ certFile: file(`${name}.crt`), keyFile: file(`${name}.key`) });

function write(name: string, pair: KeyPair): void {
  replaceFile(files(name).certFile, pair.certificate);
  replaceFile(files(name).keyFile, pair.key);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-tls-files-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a server with certificates from files", () => {
  let cluster: Cluster;
  const reports: string[] = [];
  const port = (): number => Number(new URL(cluster.url).port);
  const shown = async (servername?: string): Promise<string> =>
    (await handshake(port(), servername === undefined ? {} : { servername })).shown;
  const ready = async () => call(cluster.transport(), "GET", "/readyz/serving-certificates");

  beforeAll(async () => {
    write("main", serving("first"));
    write("shop", serving("first-shop", "shop.example.com"));
    replaceFile(file("ca.pem"), ca.certificate);
    cluster = await startCluster({
      controllers: ["root-ca-certificate-publisher-controller"],
      onError: (error) => reports.push(String(error)),
      tls: { certificate: files("main"), caFile: file("ca.pem"), minVersion: "VersionTLS13", named: [files("shop")] },
    });
  });
  afterAll(() => cluster.close());

  test("is verified by its kubeconfig and by the authorities that pods get", async () => {
    const client = kubernetesClient(await configFromText(cluster.kubeconfig()));
    const roots = await client.of("v1", "ConfigMap").namespace("default").get("kube-root-ca.crt");
    expect(roots.data?.["ca.crt"]).toBe(cluster.caCertificate);
    expect(cluster.caCertificate).toContain(ca.certificate.trim());
    await client.close();
  });

  test("refuses a TLS version below the configured minimum", async () => {
    await expect(handshake(port(), { maxVersion: "TLSv1.2" })).rejects.toThrow(/alert protocol version/);
  });

  test("shows a renewed certificate to new connections, and keeps open ones", async () => {
    const [open, named] = await Promise.all([
      openTls(port(), { ALPNProtocols: ["http/1.1"] }),
      openTls(port(), { servername: "shop.example.com" }),
    ]);
    write("main", serving("second"));
    write("shop", serving("second-shop", "shop.example.com"));
    await eventually(async () =>
      expect([await shown(), await shown("shop.example.com")]).toEqual(["second", "second-shop"]),
    );
    for (const socket of [open, named]) {
      expect(await askOver(socket, "/livez")).toBe("ok");
      socket.destroy();
    }
    await eventually(async () => expect((await ready()).status).toBe(200));
  });

  test("fails its health check for a broken file until the files are right", async () => {
    reports.length = 0;
    replaceFile(files("main").keyFile, "");
    await eventually(async () => expect((await ready()).status).toBe(500));
    expect(await shown()).toBe("second");
    expect(reports).toEqual([expect.stringContaining("Error: failed to reload serving-cert::")]);
    write("main", serving("mended"));
    await eventually(async () => expect([await shown(), (await ready()).status]).toEqual(["mended", 200]));
  });
});

/** The same files, looked at more often than a server does. */
describe("when certificate files change, a server", () => {
  let listener: Listener;
  let certificates: ServingCertificates;
  const own = serving("own");
  const reports: string[] = [];
  const shown = async (servername?: string): Promise<string> =>
    (await handshake(listener.port, servername === undefined ? {} : { servername })).shown;
  const isHealthy = async (): Promise<boolean> =>
    (await Promise.allSettled(certificates.healthChecks.map(({ check }) => check()))).every(
      ({ status }) => status === "fulfilled",
    );

  beforeAll(async () => {
    write("main", serving("first"));
    write("shop", serving("first-shop", "shop.example.com"));
    certificates = await openServingCertificates(
      { certificate: files("main"), named: [files("shop")] },
      { clock: systemClock, timers: fasterTimers(50), report: (error) => reports.push(String(error)) },
    );
    listener = await listen({
      host: "127.0.0.1",
      port: 0,
      tls: { ...certificates.pairs(own), clientCa: ca.certificate },
      clock: systemClock,
      stopping: new AbortController().signal,
      handle: () => Promise.resolve(),
    });
    certificates.watch(() => own, listener.show);
  });
  afterAll(async () => {
    certificates.close();
    await listener.close();
  });

  test("serves the names of the new certificate", async () => {
    write("shop", serving("third-shop", "other.example.com"));
    await eventually(async () => expect(await shown("other.example.com")).toBe("third-shop"));
    expect(await shown("shop.example.com")).toBe("first");
  });

  test.each<[string, () => void | Promise<void>, string]>([
    [
      "half a certificate",
      () => replaceFile(files("main").certFile, serving("half").certificate.slice(0, 300)),
      "tls: failed to find any PEM data in certificate input",
    ],
    [
      "a certificate whose key is still to come",
      () => replaceFile(files("main").certFile, serving("early").certificate),
      "tls: private key does not match public key",
    ],
    ["an empty key", () => replaceFile(files("main").keyFile, ""), "missing content for serving cert "],
    ["a file that is away", () => rm(files("main").certFile), "no such file or directory"],
  ])(
    "changes nothing for %s, reports it once, and fails its check until the files are right",
    async (_, spoil, fault) => {
      write("main", serving("good"));
      await eventually(async () => expect([await shown(), await isHealthy()]).toEqual(["good", true]));
      reports.length = 0;
      await spoil();
      await eventually(async () => expect(await isHealthy()).toBe(false));
      expect(await shown()).toBe("good");
      const name = `serving-cert::${files("main").certFile}::${files("main").keyFile}`;
      expect(reports).toEqual([expect.stringContaining(`failed to reload ${name}: `)]);
      expect(reports[0]).toContain(fault);
      expect(reports.join("\n")).not.toContain("PRIVATE KEY-----");
      write("main", serving("mended"));
      await eventually(async () => expect([await shown(), await isHealthy()]).toEqual(["mended", true]));
    },
  );

  test("takes over other pairs in spite of a fault in one pair", async () => {
    write("main", serving("beside"));
    await eventually(async () => expect(await shown()).toBe("beside"));
    replaceFile(files("shop").certFile, "");
    await eventually(async () => expect(await isHealthy()).toBe(false));
    write("main", serving("beside-2"));
    await eventually(async () => expect(await shown()).toBe("beside-2"));
    expect(await shown("other.example.com")).toBe("third-shop");
    expect(await isHealthy()).toBe(false);
  });

  test("reads files that are written in place", async () => {
    const { certificate, key } = serving("in-place");
    await writeFile(files("main").certFile, certificate);
    await writeFile(files("main").keyFile, key);
    await eventually(async () => expect(await shown()).toBe("in-place"));
  });
});

describe("a server does not start with", () => {
  test.each<[string, () => Promise<TlsOptions>, string | RegExp]>([
    [
      "a certificate that is not there",
      async () => ({ certificate: files("nowhere") }),
      /^open .*nowhere\.crt: no such file or directory$/,
    ],
    [
      "a key that is not there",
      async () => {
        write("keyless", serving("a"));
        await rm(files("keyless").keyFile);
        return { certificate: files("keyless") };
      },
      /^open .*keyless\.key: no such file or directory$/,
    ],
    [
      "a certificate without a key",
      async () => ({ certificate: { ...files("a"), keyFile: "" } }),
      "missing filename for serving cert",
    ],
    [
      "an empty file",
      async () => {
        write("empty", { ...serving("a"), key: "" });
        return { certificate: files("empty") };
      },
      /^missing content for serving cert "serving-cert::.*empty\.crt::.*empty\.key"$/,
    ],
    [
      "a key of another certificate",
      async () => {
        write("mixed", { ...serving("a"), key: serving("b").key });
        return { certificate: files("mixed") };
      },
      /^serving-cert::.*mixed\.crt::.*mixed\.key: tls: private key does not match public key$/,
    ],
    [
      "a pair for names that is none",
      async () => {
        write("named", { certificate: "x", key: "y" });
        return { named: [files("named")] };
      },
      /^failed to load SNI cert and key: sni-serving-cert::.*named\.crt::.*named\.key: tls: failed to find any PEM data in certificate input$/,
    ],
    [
      "a CA file without certificates",
      async () => {
        replaceFile(file("no-ca.pem"), "x");
        return { caFile: file("no-ca.pem") };
      },
      /^error loading CA file ".*no-ca\.pem": data does not contain any valid RSA or ECDSA certificates$/,
    ],
    [
      "suites that HTTP/2 does not do with",
      async () => ({ cipherSuites: ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"] }),
      /^error configuring http2: /,
    ],
    [
      "a suite that there is none of",
      async () => ({ cipherSuites: ["X"] }),
      "Cipher suite X not supported or doesn't exist",
    ],
  ])("%s", async (_, options, message) => {
    await expect(startCluster({ controllers: false, tls: await options() })).rejects.toThrow(message);
  });
});

const written = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

test("a server warns at its start about its user's certificate files that Go clients refuse", async () => {
  const old = chainOf("server", "common name without names");
  const certFile = await written("old.crt", pemOf(old.chain));
  const keyFile = await written("old.key", keyOf(old));
  const rootOf = (name: string): string => pemOf(chainOf("client", name).roots);
  const clients = await written("clients.pem", rootOf("unknown critical extension in the root"));
  const proxies = await written("proxies.pem", rootOf("root with the extended key usage of the other side"));
  const reported: string[] = [];
  const cluster = await startCluster({
    tls: { certificate: { certFile, keyFile } },
    authentication: { clientCaFiles: [clients], requestHeader: { clientCaFile: proxies, allowedNames: ["proxy"] } },
    onError: (error) => reported.push(errorMessage(error)),
  });
  await cluster.close();
  expect(reported).toEqual([
    `serving-cert::${certFile}::${keyFile}: x509: certificate relies on legacy Common Name field, use SANs instead`,
    `client CA file "${clients}": certificate "odd": x509: unhandled critical extension`,
    `client CA file "${proxies}": certificate "unable": x509: certificate specifies an incompatible key usage`,
  ]);
});

test("a server does not start with an authority that Go cannot read, and prints Go's error", async () => {
  const damaged = await written("damaged.pem", pemOf(chainOf("client", "negative serial").chain.slice(0, 1)));
  await expect(startCluster({ authentication: { clientCaFiles: [damaged] } })).rejects.toThrow(
    `unable to load client CA provider: error loading CA file "${damaged}": x509: negative serial number`,
  );
});
