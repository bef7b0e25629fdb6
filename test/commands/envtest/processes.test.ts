import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { call } from "../../helpers/api-caller.js";
import { freePorts } from "../../helpers/free-ports.js";
import { programUnderTest } from "../../helpers/program-under-test.js";

const built = existsSync(resolve(import.meta.dirname, "../../../dist/cli/main.cjs"));
if (!built)
  process.stdout.write("the programs of kubets envtest are skipped: there is no dist, which npm run build makes\n");

const ISSUER = "--service-account-issuer=https://127.0.0.1/";
const SIGNER = "--service-account-signing-key-file=/nonexistent/sa.key";
const KEY = "--service-account-key-file=/nonexistent/sa.pub";
const ETCD = "--etcd-servers=http://127.0.0.1:1";

/** What envtest does, step by step, without Go. */
describe.skipIf(!built)("the programs that kubets envtest installs", () => {
  let home: string;
  let assets: string;
  const children: ChildProcess[] = [];
  const environment = (): Record<string, string> => ({ PATH: process.env["PATH"] ?? "", HOME: home });
  const kubets = (...args: string[]): string => {
    const [command = "", ...script] = programUnderTest;
    return execFileSync(command, [...script, ...args], { env: environment(), encoding: "utf8" });
  };

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "kubets envtest's "));
    assets = kubets("envtest", "--print=path").trim();
  });
  afterAll(async () => {
    await Promise.all(children.map((child) => ended(child, "SIGKILL")));
    rmSync(home, { recursive: true, force: true });
  });

  function start(program: string, ...flags: string[]): ChildProcess {
    const child = spawn(join(assets, program), flags, { env: environment(), stdio: ["ignore", "ignore", "pipe"] });
    children.push(child);
    return child;
  }

  async function startEtcd(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const child = start(
      "etcd",
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      "--unsafe-no-fsync=true",
    );
    while ((await answer(`${url}/health`)) === undefined) await setTimeout(5);
    return { child, url };
  }

  test("are written once to the user's cache folder, whose path kubets prints for a shell", () => {
    expect(assets.startsWith(join(home, ".cache", "kubets", "envtest"))).toBe(true);
    const modified = (): number => statSync(join(assets, "kube-apiserver")).mtimeMs;
    const before = modified();
    const script = `eval "$(cat)"; printf %s "$KUBEBUILDER_ASSETS"`;
    expect(execFileSync("sh", ["-c", script], { input: kubets("envtest"), encoding: "utf8" })).toBe(assets);
    expect(modified()).toBe(before);
  });

  test("serve the Kubernetes version for which they were installed, which may emulate an older one", () => {
    const emulating = kubets("envtest", "--print=path", "--emulated-version=1.36").trim();
    expect(emulating).not.toBe(assets);
    const gate = "--feature-gates=ExcludeAdmissionWebhookVirtualResources=true";
    const { status, stderr } = spawnSync(join(emulating, "kube-apiserver"), [gate], { env: environment() });
    expect({ status, stderr: String(stderr) }).toEqual({
      status: 1,
      stderr: expect.stringContaining(
        "feature is PreAlpha at emulated version 1.36, min compatibility version 1.35",
      ) as string,
    });
  });

  test("include kubectl, which is kubets under that name", () => {
    const help = execFileSync(join(assets, "kubectl"), ["get", "-h"], { env: environment(), encoding: "utf8" });
    expect(help).toContain("kubectl get");
  });

  test("answer --help from a shell script as the program itself answers it", () => {
    const shell = execFileSync(join(assets, "etcd"), ["--help"], { env: { PATH: "/usr/bin:/bin" }, encoding: "utf8" });
    expect(shell).toBe(kubets("envtest", "etcd", "--help"));
  });

  test("include an etcd that only answers its health check, and ends at SIGTERM", async () => {
    const { child, url } = await startEtcd();
    expect(await answer(`${url}/health`)).toEqual({ status: 200, text: '{"health":"true","reason":""}' });
    expect(await answer(`${url}/v2/keys`)).toMatchObject({ status: 404 });
    await ended(child, "SIGTERM");
    expect(child.exitCode).toBe(0);
  });

  test("include an etcd that reports a port in use, and that it cannot serve TLS", async () => {
    const { url } = await startEtcd();
    const second = start("etcd", `--listen-client-urls=${url}`);
    expect(await errorOf(second)).toContain("EADDRINUSE");
    const secure = start("etcd", "--listen-client-urls=https://127.0.0.1:1");
    expect(await errorOf(secure)).toContain("the stand-in for etcd serves http only, not https://127.0.0.1:1");
  });

  test("include a kube-apiserver that serves with the given files, accepts users of the client CA, and ends at SIGTERM", async () => {
    const { url } = await startEtcd();
    const certificates = join(home, "given");
    const { ca, users } = writeCertificates(certificates);
    const [port] = await freePorts(1);
    const child = start("kube-apiserver", ...apiServerFlags(certificates, port ?? 0, url));
    const reach = (user?: KeyPair) => {
      const files =
        user === undefined ? {} : { certFile: `${certificates}/jane.crt`, keyFile: `${certificates}/jane.key` };
      return createTransport({
        server: `https://127.0.0.1:${port}`,
        tls: { insecureSkipVerify: false, caFile: ca, ...files },
      });
    };
    const [anonymous, jane] = [reach(), reach(users)];
    while ((await health(anonymous)) !== "ok") await setTimeout(10);
    expect((await call(anonymous, "GET", "/api/v1/namespaces")).status).toBe(403);
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const { text } = await call(jane, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review);
    expect(JSON.parse(text)).toMatchObject({
      status: { userInfo: { username: "jane", groups: ["system:masters", "system:authenticated"] } },
    });
    const service = await call(jane, "GET", "/api/v1/namespaces/default/services/kubernetes");
    expect(JSON.parse(service.text)).toMatchObject({ spec: { clusterIP: "10.0.0.1" } });
    await Promise.all([anonymous.close(), jane.close()]);
    await ended(child, "SIGTERM");
    expect(child.exitCode).toBe(0);
  });

  test("include a kube-apiserver that creates a missing certificate in its folder, and uses it again", async () => {
    const { url } = await startEtcd();
    const certificates = join(home, "made");
    mkdirSync(certificates);
    writeSigningKey(certificates);
    const [port] = await freePorts(1);
    const flags = apiServerFlags(certificates, port ?? 0, url).filter((flag) => !flag.startsWith("--client-ca-file"));
    const kept: string[] = [];
    for (const _ of [1, 2]) {
      const child = start("kube-apiserver", ...flags);
      while (!existsSync(join(certificates, "apiserver.key"))) await setTimeout(10);
      const transport = createTransport({
        server: `https://127.0.0.1:${port}`,
        tls: { insecureSkipVerify: false, caFile: join(certificates, "apiserver.crt") },
      });
      while ((await health(transport)) !== "ok") await setTimeout(10);
      kept.push(readFileSync(join(certificates, "apiserver.crt"), "utf8"));
      await transport.close();
      await ended(child, "SIGTERM");
    }
    expect(kept[1]).toBe(kept[0]);
  });

  test.each([
    [
      "no flags",
      [],
      '"[--etcd-servers must be specified, service-account-issuer is a required flag, service-account-key-file is a required flag, --service-account-signing-key-file and --service-account-issuer are required flags]"',
    ],
    ["no etcd", [ISSUER, SIGNER, KEY], '"--etcd-servers must be specified"'],
    [
      "less than no requests",
      [ETCD, ISSUER, SIGNER, KEY, "--max-requests-inflight=-1", "--max-mutating-requests-inflight=-2"],
      '"[--max-requests-inflight can not be negative value, --max-mutating-requests-inflight can not be negative value]"',
    ],
    [
      "less than no bytes",
      [ETCD, ISSUER, SIGNER, KEY, "--max-object-bytes=-1"],
      '"--max-object-bytes can not be negative value"',
    ],
    [
      "no signing key",
      [ETCD, ISSUER, KEY],
      '"--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together"',
    ],
    [
      "port 0",
      [ETCD, ISSUER, SIGNER, KEY, "--secure-port=0"],
      '"--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0"',
    ],
    [
      "a block that is not of IPv4",
      [ETCD, ISSUER, SIGNER, KEY, "--service-cluster-ip-range=fd00::/108"],
      String.raw`"--service-cluster-ip-range must begin with a block of IPv4 addresses, not \"fd00::/108\""`,
    ],
    [
      "a signing key that is not there",
      [ETCD, ISSUER, SIGNER, KEY, "--cert-dir=/nonexistent"],
      '"failed to parse service-account-issuer-key-file: open /nonexistent/sa.key: no such file or directory"',
    ],
  ])("include a kube-apiserver that logs what is wrong with %s", async (_what, flags, message) => {
    const child = start("kube-apiserver", ...flags);
    const log = await errorOf(child);
    const last = log.trimEnd().split("\n").at(-1) ?? "";
    expect(last.replace(/^E\d{4} [\d:.]+ +\d+ /, "")).toBe(`run.go:72] "command failed" err=${message}`);
    expect(child.exitCode).toBe(1);
  });

  test("include a kube-apiserver that reads the configuration of admission plugins, and logs its errors", async () => {
    const folder = join(home, "admission");
    mkdirSync(folder);
    writeSigningKey(folder);
    const file = join(folder, "admission.yaml");
    const flags = [
      ...apiServerFlags(folder, 1, "http://127.0.0.1:1"),
      `--admission-control-config-file=${file}`,
    ].filter((flag) => !flag.startsWith("--client-ca-file"));
    const failure = async (): Promise<string> => {
      const log = await errorOf(start("kube-apiserver", ...flags));
      return (log.trimEnd().split("\n").at(-1) ?? "").replace(
        /^E\d{4} [\d:.]+ +\d+ run\.go:72\] "command failed" err=/,
        "",
      );
    };
    expect(JSON.parse(await failure())).toBe(
      `failed to apply admission: failed to read plugin config: unable to read admission control configuration from "${file}" [open ${file}: no such file or directory]`,
    );
    writeFileSync(file, "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugin: []\n");
    expect(JSON.parse(await failure())).toBe(
      `failed to apply admission: failed to read plugin config: strict decoding error: unknown field "plugin" (in "${file}")`,
    );
  });

  test("end when the test that started them is killed", async () => {
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const script = `'${join(assets, "etcd").replaceAll("'", "'\\''")}' --listen-client-urls=${url} & wait`;
    const parent = spawn("sh", ["-c", script], { env: environment(), stdio: "ignore" });
    children.push(parent);
    while ((await answer(`${url}/health`)) === undefined) await setTimeout(5);
    await ended(parent, "SIGKILL");
    while ((await answer(`${url}/health`)) !== undefined) await setTimeout(20);
  });
});

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

/** Undefined where nothing listens. */
function answer(url: string): Promise<Answer | undefined> {
  return new Promise((done) => {
    const request = get(url, { agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => done({ status: response.statusCode, text }));
    });
    request.on("error", () => done(undefined));
  });
}

async function health(transport: Parameters<typeof call>[0]): Promise<string | undefined> {
  return (await call(transport, "GET", "/healthz").catch(() => undefined))?.text;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  await exit;
}

async function errorOf(child: ChildProcess): Promise<string> {
  let text = "";
  const exit = new Promise((done) => child.once("exit", done));
  for await (const part of child.stderr ?? []) text += String(part);
  await exit;
  return text;
}

/** The files that envtest writes before it starts kube-apiserver. */
function writeCertificates(folder: string): { readonly ca: string; readonly users: KeyPair } {
  mkdirSync(folder);
  const terms = (days: number, serial: number) => ({
    notBefore: Date.now() - 60_000,
    notAfter: Date.now() + days * 86_400_000,
    serial: Buffer.alloc(16, serial),
  });
  const ca = issueCertificate({ commonName: "serving", ...terms(7, 1), usage: "ca" });
  const server = issueCertificate(
    { commonName: "localhost", ...terms(7, 2), usage: "server", names: ["127.0.0.1"] },
    issuerOf(ca, "serving"),
  );
  const clientCa = issueCertificate({ commonName: "clients", ...terms(7, 3), usage: "ca" });
  const users = issueCertificate(
    { commonName: "jane", organizations: ["system:masters"], ...terms(7, 4), usage: "client" },
    issuerOf(clientCa, "clients"),
  );
  for (const [name, { certificate, key }] of Object.entries({ apiserver: server, jane: users })) {
    writeFileSync(join(folder, `${name}.crt`), certificate);
    writeFileSync(join(folder, `${name}.key`), key);
  }
  writeFileSync(join(folder, "client-ca.crt"), clientCa.certificate);
  writeFileSync(join(folder, "ca.crt"), ca.certificate);
  writeSigningKey(folder);
  return { ca: join(folder, "ca.crt"), users };
}

/** RSA, as older versions of envtest write it. */
function writeSigningKey(folder: string): void {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
}

const apiServerFlags = (folder: string, port: number, etcd: string): string[] => [
  "--allow-privileged=true",
  "--authorization-mode=RBAC",
  "--bind-address=127.0.0.1",
  `--cert-dir=${folder}`,
  `--client-ca-file=${folder}/client-ca.crt`,
  "--disable-admission-plugins=ServiceAccount",
  `--etcd-servers=${etcd}`,
  `--secure-port=${port}`,
  `--service-account-issuer=https://127.0.0.1:${port}/`,
  `--service-account-key-file=${folder}/sa.key`,
  `--service-account-signing-key-file=${folder}/sa.key`,
  "--service-cluster-ip-range=10.0.0.0/24",
];
