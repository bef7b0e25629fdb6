import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { controllerManager } from "../../../src/cluster/controller-manager/component.js";
import { createClusterPki } from "../../../src/cluster/pki/cluster-pki.js";
import { certificateRequest } from "../../helpers/certificate-request.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { httpsText } from "../../helpers/https-text.js";
import { type BareServer, beginComponent, type RunningComponent, startBareServer } from "./running-component.js";

const component = controllerManager("kubets controller-manager", "Kubernetes v1.36.3");
const QUICK = [
  "--leader-elect-lease-duration=2s",
  "--leader-elect-renew-deadline=1s",
  "--leader-elect-retry-period=100ms",
];

let server: BareServer;
let client: KubernetesClient;
beforeAll(async () => {
  server = await startBareServer();
  client = kubernetesClient(server.cluster);
});
afterAll(async () => {
  await client.close();
  await server[Symbol.asyncDispose]();
});

const begin = (...args: string[]): RunningComponent =>
  beginComponent(component, [`--kubeconfig=${server.kubeconfig}`, "--secure-port=0", ...args]);
const logged = (program: RunningComponent, text: string | RegExp): Promise<void> =>
  eventually(() => expect(program.log()).toMatch(text));

test("controller-manager --help has kube-controller-manager's sections", async () => {
  const program = beginComponent(component, ["--help"]);
  expect(await program.ended).toBe(0);
  const headings = [...program.out().matchAll(/^(.+) flags:$/gm)].map(([, name]) => name);
  expect(headings.slice(0, 6)).toEqual([
    "Debugging",
    "Leader-migration",
    "Generic",
    "Secure serving",
    "Authentication",
    "Authorization",
  ]);
  expect(headings.slice(-4)).toEqual(["Metrics", "Logs", "Misc", "Global"]);
});

describe("controller-manager ends with code 1 for an invalid command line", () => {
  test.each([
    ["an unknown flag", ["--nope"], "Error: unknown flag: --nope"],
    ["a stray argument", ["run"], 'Error: "kube-controller-manager" does not take any arguments, got ["run"]'],
    ["a missing kubeconfig", ["--kubeconfig=/nope/config"], "stat /nope/config: no such file or directory"],
    ["a refused flag", ["--disable-force-detach-on-timeout"], "--disable-force-detach-on-timeout is not supported"],
    ["a controller there is none of", ["--controllers=nope"], "nope"],
    ["workers of none", ["--concurrent-job-syncs=0"], "must be larger than 0"],
    [
      "LE-3: a lock of Endpoints",
      ["--leader-elect-resource-lock=endpoints"],
      "couldn't create resource lock: endpoints lock is removed, migrate to leases",
    ],
    [
      "LE-3: a lock of ConfigMaps and Leases",
      ["--leader-elect-resource-lock=configmapsleases"],
      "couldn't create resource lock: configmapsleases lock is removed, migrated to leases",
    ],
    [
      "LE-3: a lock of a kind that there is none of",
      ["--leader-elect-resource-lock=files"],
      "couldn't create resource lock: Invalid lock-type files",
    ],
    [
      "durations that do not fit",
      ["--leader-elect-lease-duration=1s"],
      "leaseDuration must be greater than renewDeadline",
    ],
    ["node ranges without a cluster's", ["--allocate-node-cidrs"], "--cluster-cidr must be set"],
    [
      "a signing key without its certificate",
      ["--cluster-signing-key-file=x"],
      "--cluster-signing-cert-file is missing",
    ],
    ["a gate without a value", ["--feature-gates=Nope"], "missing bool value for Nope"],
  ])("with %s", async (_what, args, message) => {
    const program = begin(...args);
    expect(await program.ended).toBe(1);
    expect(program.log()).toContain(message);
  });
});

test("ARC-15: controller-manager reports all faults of its flags in one message", async () => {
  const program = beginComponent(component, [
    "--secure-port=-1",
    "--controllers=nope",
    "--leader-elect-resource-lock=files",
  ]);
  expect(await program.ended).toBe(1);
  for (const fault of ["--secure-port -1 must be between 0 and 65535", '\\"nope\\"', "Invalid lock-type files"])
    expect(program.log()).toContain(fault);
});

test("controller-manager warns about a flag without effect, and runs", async () => {
  const program = begin("--leader-elect=false", "--controllers=ttl-controller", "--use-service-account-credentials");
  await logged(program, /"Starting controller" controller="ttl-controller"/);
  expect(program.log()).toMatch(/^W.*--use-service-account-credentials has no effect: /m);
  expect(await program.stop()).toBe(0);
});

test("controller-manager runs the controllers against an API server over the network", async () => {
  const program = begin("--leader-elect=false", "--controllers=deployment,replicaset,garbagecollector,serviceaccount");
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "nginx" }] },
  };
  await client
    .of("apps/v1", "Deployment")
    .namespace("default")
    .create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
    });
  const pods = client.of("v1", "Pod").namespace("default");
  await eventually(async () => expect((await pods.listWhole()).items).toHaveLength(2));
  await client.of("apps/v1", "Deployment").namespace("default").delete("web", { propagationPolicy: "Foreground" });
  await eventually(async () => expect((await pods.listWhole()).items).toHaveLength(0));
  expect(await program.stop()).toBe(0);
});

test("controller-manager gives every new namespace its service account and the kubeconfig's authority", async () => {
  const program = begin("--leader-elect=false", "--controllers=serviceaccount,root-ca-cert-publisher");
  await client.of("v1", "Namespace").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const { data } = await eventually(() => client.of("v1", "ConfigMap").namespace("shop").get("kube-root-ca.crt"));
  expect(data?.["ca.crt"]).toBe(server.cluster.caCertificate);
  await eventually(() => client.of("v1", "ServiceAccount").namespace("shop").get("default"));
  await program.stop();
});

test("controller-manager signs approved requests with the given authority, for as long as --cluster-signing-duration allows", async () => {
  const { ca } = createClusterPki(systemClock, systemRandom, systemClock);
  const [certFile, keyFile] = [join(server.folder, "ca.crt"), join(server.folder, "ca.key")];
  writeFileSync(certFile, ca.certificate);
  writeFileSync(keyFile, ca.key);
  const program = begin(
    "--leader-elect=false",
    "--controllers=csrsigning",
    `--cluster-signing-cert-file=${certFile}`,
    `--cluster-signing-key-file=${keyFile}`,
    "--cluster-signing-duration=1h",
  );
  const requests = client.of("certificates.k8s.io/v1", "CertificateSigningRequest");
  const { request } = await certificateRequest("CN=jane");
  const spec = {
    request: Buffer.from(request).toString("base64"),
    signerName: "kubernetes.io/kube-apiserver-client",
    usages: ["client auth"] as ["client auth"],
  };
  const created = await requests.create({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "jane" },
    spec,
  });
  const approval = { type: "Approved", status: "True", reason: "Test", message: "" };
  await client.rest.request({
    method: "PUT",
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests/jane/approval",
    body: Buffer.from(JSON.stringify({ ...created, status: { conditions: [approval] } })),
  });
  const certificate = await eventually(async () => {
    const { status } = await requests.get("jane");
    return new X509Certificate(Buffer.from(String(status?.certificate), "base64"));
  });
  expect(certificate.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
  expect(Date.parse(certificate.validTo) - systemClock.now()).toBeLessThanOrEqual(3_600_000);
  await program.stop();
});

test("controller-manager without key files disables the controllers that sign and create tokens, and logs it", async () => {
  const program = begin("--leader-elect=false", "--controllers=csrsigning,serviceaccount-token,ttl");
  await logged(program, /"Starting controller" controller="ttl-controller"/);
  expect(program.log()).toMatch(/"Controller is disabled" controller="certificatesigningrequest-signing-controller"/);
  expect(program.log()).toMatch(/"Controller is disabled" controller="serviceaccount-token-controller"/);
  await program.stop();
});

test("controller-manager skips a controller whose kinds the server lacks, and runs the others", async () => {
  await using small = await startBareServer({ runtimeConfig: { "batch/v1": false, "policy/v1": false } });
  const program = beginComponent(component, [
    `--kubeconfig=${small.kubeconfig}`,
    "--secure-port=0",
    "--leader-elect=false",
    "--controllers=cronjob,disruption,serviceaccount",
  ]);
  const own = kubernetesClient(small.cluster);
  await logged(
    program,
    /"Skipping controller" controller="cronjob-controller" reason="the API server does not serve CronJob of batch\/v1/,
  );
  await logged(program, /"Skipping controller" controller="disruption-controller"/);
  await own.of("v1", "Namespace").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "old" } });
  await eventually(() => own.of("v1", "ServiceAccount").namespace("old").get("default"));
  await own.close();
  expect(await program.stop()).toBe(0);
});

describe("leader election of controller-manager", () => {
  const lease = (name: string) => `--leader-elect-resource-name=${name}`;

  test("lets one of two programs work; the other takes over when the first stops and releases the Lease", async () => {
    const args = [lease("two"), "--controllers=ttl", ...QUICK];
    const first = begin(...args, "--feature-gates=ControllerManagerReleaseLeaderElectionLockOnExit=true");
    await logged(first, /"Successfully acquired lease" lock="kube-system\/two"/);
    const second = begin(...args);
    await logged(second, /"Attempting to acquire leader lease\.\.\." lock="kube-system\/two"/);
    expect(second.log()).not.toContain("Starting controller");
    expect(await first.stop()).toBe(0);
    expect(first.log()).toContain('"Requested to terminate, exiting"');
    await logged(second, /"Successfully acquired lease"/);
    expect(await second.stop()).toBe(0);
  });

  test("keeps the Lease at a stop, as kube-controller-manager does by default", async () => {
    const program = begin(lease("kept"), "--controllers=ttl", ...QUICK);
    await logged(program, /"Successfully acquired lease"/);
    await program.stop();
    const { spec } = await client.of("coordination.k8s.io/v1", "Lease").namespace("kube-system").get("kept");
    expect(spec?.holderIdentity).not.toBe("");
  });

  test("ends a program that loses the Lease with a log line and exit code 1", async () => {
    const program = begin(lease("lost"), "--controllers=ttl", ...QUICK);
    await logged(program, /"Starting controller" controller="ttl-controller"/);
    const leases = client.of("coordination.k8s.io/v1", "Lease").namespace("kube-system");
    await leases.patch("lost", { spec: { holderIdentity: "another" } }, { type: "merge" });
    expect(await program.ended).toBe(1);
    expect(program.log()).toMatch(/^E.*leaderelection lost/m);
  });
});

test("controller-manager answers health checks to everybody, one for each controller, and nothing else", async () => {
  const [port = 0] = await freePorts(1);
  const program = beginComponent(component, [
    `--kubeconfig=${server.kubeconfig}`,
    `--secure-port=${port}`,
    "--controllers=ttl",
    "--leader-elect-resource-name=health",
    "--authorization-always-allow-paths=/healthz,/livez,/readyz",
  ]);
  await logged(program, /"Starting controller" controller="ttl-controller"/);
  expect(program.log()).toContain(`Serving securely on 127.0.0.1:${port}`);
  const get = (path: string) => httpsText(`https://127.0.0.1:${port}${path}`);
  for (const path of ["/healthz", "/livez", "/readyz"]) expect(await get(path)).toEqual({ status: 200, text: "ok" });
  const checks = "[+]leaderElection ok\n[+]ttl-controller ok\nhealthz check passed\n";
  expect(await get("/healthz?verbose")).toEqual({ status: 200, text: checks });
  const { status, text } = await get("/metrics");
  expect(status).toBe(403);
  expect(JSON.parse(text)).toMatchObject({
    reason: "Forbidden",
    message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
  });
  const second = beginComponent(component, [`--kubeconfig=${server.kubeconfig}`, `--secure-port=${port}`]);
  expect(await second.ended).toBe(1);
  expect(second.log()).toContain(`listen tcp 127.0.0.1:${port}: bind: address already in use`);
  await program.stop();
});

test("controller-manager forbids paths that --authorization-always-allow-paths leaves out, health too", async () => {
  const [port = 0] = await freePorts(1);
  const program = begin(
    `--secure-port=${port}`,
    "--leader-elect=false",
    "--controllers=ttl",
    "--authorization-always-allow-paths=/livez",
  );
  await logged(program, /Serving securely/);
  expect((await httpsText(`https://127.0.0.1:${port}/healthz`)).status).toBe(403);
  expect((await httpsText(`https://127.0.0.1:${port}/livez`)).status).toBe(200);
  await program.stop();
});
