import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveEtcdStandIn } from "../../../src/cluster/envtest/etcd-stand-in.js";
import type { KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { parseSniCertKey } from "../../../src/component/apiserver-flags/sni-cert-key.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { runCli } from "../../helpers/run-cli.js";
import { type Handshake, handshake, newAuthority, servingCertificate } from "../../helpers/tls-peer.js";

describe("--tls-sni-cert-key of envtest's kube-apiserver", () => {
  test.each([
    ["a pair", "a.crt,a.key", { certFile: "a.crt", keyFile: "a.key" }],
    ["a pair between blanks", " a.crt , a.key ", { certFile: "a.crt", keyFile: "a.key" }],
    [
      "a pair with names",
      "a.crt,a.key: *.a.com, b.com",
      { certFile: "a.crt", keyFile: "a.key", names: ["*.a.com", "b.com"] },
    ],
    ["an IPv6 address as a name", "a.crt,a.key:::1", { certFile: "a.crt", keyFile: "a.key", names: ["::1"] }],
  ])("accepts %s", (_, value, parsed) => {
    expect(parseSniCertKey(value)).toEqual(parsed);
  });

  test.each([
    ["one file", "a.crt", "expected comma separated certificate and key file paths"],
    ["three files", "a,b,c", "expected comma separated certificate and key file paths"],
    ["nothing", "", "expected comma separated certificate and key file paths"],
    ["no names behind the colon", "a.crt,a.key: ", "empty names list is not allowed"],
  ])("refuses %s in kube-apiserver's words", async (_, value, message) => {
    const { code, stderr } = await runCli(["envtest", "kube-apiserver", `--tls-sni-cert-key=${value}`]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Error: invalid argument ${JSON.stringify(value)} for "--tls-sni-cert-key" flag: ${message}\n`,
    });
  });
});

describe("envtest's kube-apiserver does not start with", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-tls-flags-"));
    const ca = newAuthority();
    const pair = servingCertificate(ca, "a");
    await writeFile(join(folder, "a.crt"), pair.certificate);
    await writeFile(join(folder, "a.key"), pair.key);
    await writeFile(join(folder, "b.key"), servingCertificate(ca, "b").key);
    await writeFile(join(folder, "sa.key"), pair.key);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each([
    ["an unknown version", ["--tls-min-version=VersionTLS14"], 'unknown tls version "VersionTLS14"'],
    ["an unknown suite", ["--tls-cipher-suites=X"], "Cipher suite X not supported or doesn't exist"],
    ["a certificate without a key", ["--tls-cert-file=a.crt"], "missing filename for serving cert"],
    [
      "a key of another certificate",
      ["--tls-cert-file=a.crt", "--tls-private-key-file=b.key"],
      "tls: private key does not match public key",
    ],
    [
      "a pair for names that is none",
      ["--tls-cert-file=a.crt", "--tls-private-key-file=a.key", "--tls-sni-cert-key=a.key,a.crt:x.com"],
      "failed to load SNI cert and key: sni-serving-cert::",
    ],
  ])("%s", async (_, argv, message) => {
    const needed = [
      "--etcd-servers=http://127.0.0.1:1",
      "--service-account-issuer=https://x",
      "--service-account-key-file=sa.key",
      "--service-account-signing-key-file=sa.key",
      "--authorization-mode=RBAC",
    ];
    const { code, stderr } = await runCli(["envtest", "kube-apiserver", ...needed, ...argv], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain("command failed");
    expect(stderr.replaceAll(String.raw`\"`, '"')).toContain(message);
  });
});

test("envtest's kube-apiserver serves with all TLS flags, and reloads its files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kubets-tls-serving-"));
  const ca = newAuthority();
  const write = async (name: string, pair: KeyPair): Promise<void> => {
    await writeFile(join(folder, `${name}.crt`), pair.certificate);
    await writeFile(join(folder, `${name}.key`), pair.key);
  };
  await write("main", servingCertificate(ca, "main", ["127.0.0.1"]));
  await write("named", servingCertificate(ca, "named"));
  const [etcd = 0, port = 0] = await freePorts(2);
  const stop = new AbortController();
  const standIn = serveEtcdStandIn([`http://127.0.0.1:${etcd}`], stop.signal, 0);
  const argv = [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${port}`,
    "--service-account-issuer=https://x",
    "--service-account-key-file=main.key",
    "--service-account-signing-key-file=main.key",
    "--authorization-mode=RBAC",
    "--tls-cert-file=main.crt",
    "--tls-private-key-file=main.key",
    "--tls-min-version=VersionTLS12",
    "--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "--tls-sni-cert-key=named.crt,named.key:*.example.com,other.org",
  ];
  const serving = runCli(["envtest", "kube-apiserver", ...argv], { cwd: folder, signal: stop.signal });
  const shown = async (servername?: string): Promise<Handshake> =>
    handshake(port, { ...(servername !== undefined && { servername }), maxVersion: "TLSv1.2" });
  const cipher = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  await eventually(async () => expect(await shown()).toMatchObject({ shown: "main", cipher }));
  expect(await shown("a.example.com")).toMatchObject({ shown: "named", cipher });
  expect(await shown("other.org")).toMatchObject({ shown: "named" });
  await write("main", servingCertificate(ca, "renewed", ["127.0.0.1"]));
  await eventually(async () => expect(await shown()).toMatchObject({ shown: "renewed" }));
  stop.abort();
  expect((await serving).stderr).toContain(`Serving securely on 127.0.0.1:${port}`);
  await standIn;
  await rm(folder, { recursive: true });
});
