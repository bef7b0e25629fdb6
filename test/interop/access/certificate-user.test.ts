import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { eventually } from "../../helpers/eventually.js";

const noOpenssl = spawnSync("openssl", ["version"]).status === 0 ? undefined : "openssl is not installed";
const missing = realTool("kubectl").missing ?? noOpenssl;
if (missing !== undefined) process.stdout.write(`users by openssl and certificate requests are skipped: ${missing}\n`);

// As administrators make users by hand: a key and a request by openssl, a certificate by the cluster.
describe.skipIf(missing !== undefined)("a user whose certificate openssl and kubectl 1.37.1 request", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster();
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  function openssl(...argv: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync("openssl", argv, { cwd: kubectl.folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${argv.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  }

  async function request(name: string, csr: string, signerName = "kubernetes.io/kube-apiserver-client") {
    const spec = {
      request: (await readFile(join(kubectl.folder, csr))).toString("base64"),
      signerName,
      expirationSeconds: 86_400,
      usages: ["client auth"],
    };
    const object = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name },
      spec,
    };
    return kubectl.run(["apply", "-f", "-"], JSON.stringify(object));
  }

  const certificateOf = (name: string): Promise<string> =>
    eventually(async () => {
      const text = await kubectl.ok(`get csr ${name} -o jsonpath={.status.certificate}`);
      expect(text).not.toBe("");
      return Buffer.from(text, "base64").toString();
    });

  test.each([
    ["an RSA key", "jane", ["genrsa", "-out", "jane.key", "2048"]],
    ["an EC key", "joan", ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "joan.key"]],
  ])("%s: requested, approved, fetched and used; RBAC allows and forbids", async (_, user, generate) => {
    openssl(...generate);
    openssl("req", "-new", "-key", `${user}.key`, "-out", `${user}.csr`, "-subj", `/CN=${user}/O=developers/O=on-call`);
    expect(await request(user, `${user}.csr`)).toMatchObject({
      code: 0,
      stdout: `certificatesigningrequest.certificates.k8s.io/${user} created\n`,
    });
    expect(await kubectl.ok(`get csr ${user} --no-headers`)).toMatch(
      new RegExp(`^${user} +\\S+ +kubernetes.io/kube-apiserver-client +kubernetes-admin +24h +Pending\\n$`),
    );
    expect(await kubectl.ok(`certificate approve ${user}`)).toBe(
      `certificatesigningrequest.certificates.k8s.io/${user} approved\n`,
    );
    await writeFile(join(kubectl.folder, `${user}.crt`), await certificateOf(user));
    await writeFile(join(kubectl.folder, "ca.crt"), cluster.caCertificate);
    expect(openssl("verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", "ca.crt", `${user}.crt`)).toBe(
      `${user}.crt: OK\n`,
    );
    expect(openssl("x509", "-noout", "-subject", "-in", `${user}.crt`).trim()).toMatch(
      // As Go writes a name: all organizations in one set, in the order of their bytes, before the common name.
      new RegExp(`^subject=O ?= ?on-call \\+ O ?= ?developers, CN ?= ?${user}$`),
    );

    const credentials = [`--client-certificate=${user}.crt`, `--client-key=${user}.key`, "--embed-certs=true"];
    await kubectl.ok(["config", "set-credentials", user, ...credentials]);
    await kubectl.ok(["config", "set-context", user, "--cluster=kubets", `--user=${user}`]);
    expect(await kubectl.ok(`auth whoami --context=${user} -o jsonpath={.status.userInfo.groups}`)).toBe(
      '["on-call","developers","system:authenticated"]',
    );
    expect(await kubectl.run(`get configmaps --context=${user}`)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error from server (Forbidden): configmaps is forbidden: User "${user}" cannot list resource "configmaps" in API group "" in the namespace "default"\n`,
    });
    await kubectl.ok(`create rolebinding ${user} --clusterrole=view --user=${user}`);
    expect(await kubectl.run(`get configmaps --context=${user}`)).toMatchObject({ code: 0 });
    expect(await kubectl.run(`delete configmap kube-root-ca.crt --context=${user}`)).toMatchObject({
      code: 1,
      stderr: `Error from server (Forbidden): configmaps "kube-root-ca.crt" is forbidden: User "${user}" cannot delete resource "configmaps" in API group "" in the namespace "default"\n`,
    });
    await kubectl.ok(`delete rolebinding ${user}`);
    expect(await kubectl.run(`get configmaps --context=${user}`)).toMatchObject({ code: 1 });
  });

  test("a request that was denied gets no certificate", async () => {
    openssl("genrsa", "-out", "mallory.key", "2048");
    openssl("req", "-new", "-key", "mallory.key", "-out", "mallory.csr", "-subj", "/CN=mallory");
    await request("mallory", "mallory.csr");
    expect(await kubectl.ok("certificate deny mallory")).toBe(
      "certificatesigningrequest.certificates.k8s.io/mallory denied\n",
    );
    expect(await kubectl.ok("get csr mallory --no-headers")).toMatch(/ Denied\n$/);
    expect(await kubectl.ok("get csr mallory -o jsonpath={.status.certificate}")).toBe("");
  });

  test("a request for the group of administrators is refused", async () => {
    openssl("req", "-new", "-key", "mallory.key", "-out", "masters.csr", "-subj", "/CN=mallory/O=system:masters");
    expect(await request("masters", "masters.csr")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'Error from server (Forbidden): error when creating "STDIN": certificatesigningrequests.certificates.k8s.io "masters" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed\n',
    });
  });
});
