import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { runCli } from "../helpers/run-cli.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { realTool } from "../helpers/real-tools.js";
import { newAuthority, rsaServingCertificate, servingCertificate } from "../helpers/tls-peer.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`damaged credentials are skipped: ${kubectl.missing}\n`);

/** A file of a kubeconfig: how it differs from a good one. */
type Damage = Readonly<Record<string, (good: Material) => string>>;

interface Material {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

const other = servingCertificate(newAuthority(), "other");
const rsa = rsaServingCertificate(newAuthority(), "rsa");
const exported = (key: string, type: "pkcs8" | "sec1"): string =>
  createPrivateKey(key).export({ type, format: "pem" }).toString();
const block = (type: string, text: string): string =>
  text.replaceAll(/(BEGIN|END) [A-Z ]+-/g, (_, word: string) => `${word} ${type}-`);
const thirdLine = (text: string, change: (line: string) => string): string =>
  text
    .split("\n")
    .map((line, index) => (index === 2 ? change(line) : line))
    .join("\n");

const CERTIFICATES: Damage = {
  "as it was": ({ certificate }) => certificate,
  "of another authority": () => other.certificate,
  "of another kind of key": () => rsa.certificate,
  empty: () => "",
  "no PEM": () => "x\n",
  "cut in the middle": ({ certificate }) => certificate.slice(0, certificate.length / 2),
  "without its last line": ({ certificate }) => certificate.replace(/-----END.*/, ""),
  "on one line": ({ certificate }) => certificate.replaceAll("\n", ""),
  indented: ({ certificate }) => certificate.replaceAll(/^/gm, "  "),
  "with a damaged line": ({ certificate }) => thirdLine(certificate, (line) => `!${line.slice(1)}`),
  "with another byte": ({ certificate }) => thirdLine(certificate, (line) => `AAAAAAAA${line.slice(8)}`),
  "with a shorter line": ({ certificate }) => thirdLine(certificate, (line) => line.slice(4)),
  "with lines that end as on Windows": ({ certificate }) => certificate.replaceAll("\n", "\r\n"),
  "with spaces behind its lines": ({ certificate }) => certificate.replaceAll("\n", " \n"),
  "behind text": ({ certificate }) => `subject=x\n${certificate}`,
  "before its key": ({ certificate, key }) => certificate + key,
  "behind its key": ({ certificate, key }) => key + certificate,
  "the key alone": ({ key }) => key,
  "a request": ({ certificate }) => block("CERTIFICATE REQUEST", certificate),
  "with headers": ({ certificate }) => certificate.replace("\n", "\nComment: mine\n\n"),
  "before a damaged one": ({ certificate }) => certificate + thirdLine(certificate, () => "!"),
  "behind a damaged one": ({ certificate }) => thirdLine(certificate, () => "!") + certificate,
};

const KEYS: Damage = {
  "of another pair": () => other.key,
  "of another kind": () => rsa.key,
  empty: () => "",
  "no PEM": () => "x\n",
  "cut in the middle": ({ key }) => key.slice(0, key.length / 2),
  "on one line": ({ key }) => key.replaceAll("\n", ""),
  indented: ({ key }) => key.replaceAll(/^/gm, "\t"),
  "with a damaged line": ({ key }) => thirdLine(key, (line) => `!${line.slice(1)}`),
  "with a shorter line": ({ key }) => thirdLine(key, (line) => line.slice(4)),
  "as PKCS #8": ({ key }) => exported(key, "pkcs8"),
  "as SEC 1": ({ key }) => exported(key, "sec1"),
  "PKCS #8 under the name of SEC 1": ({ key }) => block("EC PRIVATE KEY", exported(key, "pkcs8")),
  "SEC 1 under the name of PKCS #8": ({ key }) => block("PRIVATE KEY", exported(key, "sec1")),
  "SEC 1 under the name of RSA": ({ key }) => block("RSA PRIVATE KEY", exported(key, "sec1")),
  "behind its parameters": ({ key }) =>
    `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${key}`,
  "the certificate alone": ({ certificate }) => certificate,
  "behind the certificate": ({ certificate, key }) => certificate + key,
  "a public key": ({ key }) => block("PUBLIC KEY", key),
  "encrypted, with headers": ({ key }) =>
    createPrivateKey(key).export({ type: "sec1", format: "pem", cipher: "aes-128-cbc", passphrase: "x" }).toString(),
  "encrypted, as PKCS #8": ({ key }) =>
    createPrivateKey(key).export({ type: "pkcs8", format: "pem", cipher: "aes-128-cbc", passphrase: "x" }).toString(),
  "for an exchange of keys": () =>
    generateKeyPairSync("x25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};

const AUTHORITIES: Damage = {
  "of another cluster": () => newAuthority().certificate,
  empty: () => "",
  "no PEM": () => "x\n",
  "cut in the middle": ({ ca }) => ca.slice(0, ca.length / 2),
  "without its last line": ({ ca }) => ca.replace(/-----END.*/, ""),
  "on one line": ({ ca }) => ca.replaceAll("\n", ""),
  indented: ({ ca }) => ca.replaceAll(/^/gm, "    "),
  "with a damaged line": ({ ca }) => thirdLine(ca, (line) => `!${line.slice(1)}`),
  "with a shorter line": ({ ca }) => thirdLine(ca, (line) => line.slice(4)),
  "with lines that end as on Windows": ({ ca }) => ca.replaceAll("\n", "\r\n"),
  "with headers": ({ ca }) => ca.replace("\n", "\nComment: mine\n\n"),
  "a key": ({ key }) => key,
  "a key, then text": ({ key }) => `${key}text\n`,
  "behind text": ({ ca }) => `subject=x\n${ca}`,
  "before text": ({ ca }) => `${ca}text\n`,
  "behind a damaged one": ({ ca }) => thirdLine(ca, () => "!") + ca,
  "behind that of another cluster": ({ ca }) => newAuthority().certificate + ca,
};

describe.skipIf(kubectl.missing !== undefined)("kubets treats a kubeconfig's damaged files as kubectl does:", () => {
  let cluster: Cluster;
  let real: RealKubectl;
  let good: Material;

  beforeAll(async () => {
    cluster = await startCluster();
    real = await realKubectl(cluster);
    const { clusters, users } = JSON.parse(cluster.kubeconfig()) as Kubeconfig;
    const text = (data = ""): string => Buffer.from(data, "base64").toString();
    good = {
      certificate: text(users[0]?.user["client-certificate-data"]),
      key: text(users[0]?.user["client-key-data"]),
      ca: text(clusters[0]?.cluster["certificate-authority-data"]),
    };
  });
  afterAll(async () => {
    await real[Symbol.asyncDispose]();
    await cluster.close();
  });

  const rows = [
    ...Object.entries(CERTIFICATES).map(
      ([name, damage]) => ["the certificate", name, { certificate: damage }] as const,
    ),
    ...Object.entries(KEYS).map(([name, damage]) => ["the key", name, { key: damage }] as const),
    ...Object.entries(AUTHORITIES).map(([name, damage]) => ["the authority", name, { ca: damage }] as const),
  ];

  test.each(rows)("%s that is %s", async (_, __, damages) => {
    const folder = join(real.folder, "case");
    mkdirSync(folder, { recursive: true });
    const make = (part: keyof Material): void =>
      writeFileSync(
        join(folder, part),
        (damages as Partial<Record<keyof Material, (good: Material) => string>>)[part]?.(good) ?? good[part],
      );
    for (const part of ["certificate", "key", "ca"] as const) make(part);
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, JSON.stringify(byFiles(cluster.url, folder)));
    const line = ["--kubeconfig", kubeconfig, "get", "--raw", "/api/v1/namespaces/default/serviceaccounts/default"];
    const [theirs, ours] = await Promise.all([real.run(line), runCli(line)]);
    expect(told(ours)).toEqual(told(theirs));
  });
});

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly "certificate-authority-data"?: string } }[];
  readonly users: readonly {
    readonly user: { readonly "client-certificate-data"?: string; readonly "client-key-data"?: string };
  }[];
}

const byFiles = (server: string, folder: string) => ({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "c", cluster: { server, "certificate-authority": join(folder, "ca") } }],
  users: [
    { name: "u", user: { "client-certificate": join(folder, "certificate"), "client-key": join(folder, "key") } },
  ],
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  "current-context": "c",
});

/**
 * Which bytes of a certificate are wrong is told by Go's reader of ASN.1 in words of its own. What follows files in the background logs
 * the same fault beside, now and then several times.
 */
const told = ({
  code,
  stdout,
  stderr,
}: {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}) => ({
  code,
  stdout: stdout === "" ? "" : "answered",
  stderr: stderr
    .replaceAll(/^E\d{4} .*cert_rotation\.go.*\n/gm, "")
    .replace(/x509: malformed .*|asn1: .*|x509: invalid .*/, "x509: malformed"),
});
