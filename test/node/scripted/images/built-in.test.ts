import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { object, objects } from "../../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../../src/machinery/meta/json.js";
import { call } from "../../../helpers/api-caller.js";
import { eventually } from "../../../helpers/eventually.js";

const CORE = "/api/v1/namespaces/default";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const HOOKS = "/apis/admissionregistration.k8s.io/v1";
const CERTGEN = "registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.7";
const CONTOUR = { image: "docker.io/bitnami/contour:1.33", command: ["contour"] };
const ARGOCD = "quay.io/argoproj/argocd:v3.4.4";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ nodes: 1 });
  api = cluster.transport();
  await eventually(async () => expect((await call(api, "GET", `${CORE}/serviceaccounts/default`)).status).toBe(200));
  await create(`${CORE}/serviceaccounts`, { metadata: { name: "admin" } });
  await create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: "admin" },
    subjects: [{ kind: "ServiceAccount", name: "admin", namespace: "default" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  });
});
afterAll(() => cluster.close());

async function create(path: string, body: JsonObject): Promise<void> {
  const answer = await call(api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
}

/** Runs a container to its end; gives its code and its log. */
async function run(name: string, container: JsonObject, account = "admin") {
  await create(`${CORE}/pods`, {
    metadata: { name },
    spec: { restartPolicy: "Never", serviceAccountName: account, containers: [{ name: "c", ...container }] },
  });
  const code = await eventually(async () => {
    const pod = await call(api, "GET", `${CORE}/pods/${name}`);
    const { exitCode } = object(pod.at("status.containerStatuses.0.state.terminated"));
    expect(exitCode).toBeTypeOf("number");
    return exitCode;
  });
  return { code, log: (await call(api, "GET", `${CORE}/pods/${name}/log`)).text };
}

/** The values of a Secret, as text. */
async function secret(name: string, namespace = "default"): Promise<Record<string, string>> {
  const data = object((await call(api, "GET", `/api/v1/namespaces/${namespace}/secrets/${name}`)).at("data"));
  const texts = Object.entries(data).map(([key, value]) => [
    key,
    Buffer.from(String(value), "base64").toString("utf8"),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}

function expectChain(authority = "", certificate = "", host = ""): void {
  const [root, leaf] = [new X509Certificate(authority), new X509Certificate(certificate)];
  expect([root.ca, leaf.ca, leaf.checkIssued(root), leaf.verify(root.publicKey)]).toEqual([true, false, true, true]);
  expect(leaf.checkHost(host)).toBeDefined();
}

const createArgs = (name: string, ...more: readonly string[]) => [
  "create",
  "--host=hook,hook.default.svc,10.96.0.9",
  "--namespace=default",
  `--secret-name=${name}`,
  ...more,
];

describe("the built-in replacement of kube-webhook-certgen", () => {
  test("creates once a Secret with an authority, a certificate and its key", async () => {
    const made = await run("create", { image: CERTGEN, args: createArgs("hook") });
    expect(made).toMatchObject({ code: 0, log: expect.stringContaining('"msg":"creating new secret"') });
    const first = await secret("hook");
    expectChain(first["ca"], first["cert"], "hook.default.svc");
    expect(new X509Certificate(first["cert"] ?? "").checkIP("10.96.0.9")).toBe("10.96.0.9");
    expect(first["key"]).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);

    const again = await run("again", { image: "jettech/kube-webhook-certgen:v1.5.2", args: createArgs("hook") });
    expect(again).toMatchObject({ code: 0, log: expect.stringContaining('"msg":"secret already exists"') });
    expect(await secret("hook")).toEqual(first);
  });

  test("writes the authority into a webhook configuration", async () => {
    await run("keys", { image: CERTGEN, args: createArgs("keyed", "--cert-name=tls.crt", "--key-name=tls.key") });
    const clientConfig = { service: { name: "hook", namespace: "default" } };
    const webhooks = ["a.example.com", "b.example.com"].map((name) => {
      const rules = [{ apiGroups: ["example.com"], apiVersions: ["*"], operations: ["CREATE"], resources: ["things"] }];
      return {
        name,
        clientConfig,
        rules,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
      };
    });
    for (const kind of ["validating", "mutating"])
      await create(`${HOOKS}/${kind}webhookconfigurations`, { metadata: { name: "hooks" }, webhooks });
    const args = ["patch", "--webhook-name=hooks", "--namespace=default", "--secret-name=keyed"];
    const patched = await run("patch", {
      image: CERTGEN,
      args: [...args, "--patch-mutating=false", "--patch-failure-policy=Fail"],
    });
    expect(patched).toMatchObject({ code: 0, log: expect.stringContaining('"msg":"Patched hook(s)"') });
    const data = await secret("keyed");
    expectChain(data["ca"], data["tls.crt"], "hook.default.svc");
    expect(Object.keys(data).sort()).toEqual(["ca", "tls.crt", "tls.key"]);
    const caBundle = Buffer.from(data["ca"] ?? "").toString("base64");
    const of = async (kind: string) =>
      objects((await call(api, "GET", `${HOOKS}/${kind}webhookconfigurations/hooks`)).at("webhooks"));
    expect(await of("validating")).toMatchObject([
      { clientConfig: { caBundle }, failurePolicy: "Fail" },
      { clientConfig: { caBundle }, failurePolicy: "Fail" },
    ]);
    expect((await of("mutating"))[0]?.["clientConfig"]).toEqual({ service: { ...clientConfig.service, port: 443 } });
  });

  test("has only the rights of its pod's service account", async () => {
    const { code, log } = await run("unbound", { image: CERTGEN, args: createArgs("secret-thing") }, "default");
    expect(code).toBe(1);
    const user = 'User "system:serviceaccount:default:default" cannot get resource "secrets"';
    expect(JSON.parse(log)).toMatchObject({
      level: "fatal",
      msg: "error getting secret",
      err: expect.stringContaining(`secrets "secret-thing" is forbidden: ${user}`),
    });
    expect((await call(api, "GET", `${CORE}/secrets/secret-thing`)).status).toBe(404);
  });

  test.each([
    [
      "no-secret",
      ["patch", "--namespace=default", "--secret-name=none", "--webhook-name=a"],
      "no secret with 'none' in 'default'",
    ],
    ["no-host", ["create", "--namespace=default", "--secret-name=a"], 'Error: required flag(s) "host" not set'],
    ["no-flag", ["create", "--nope"], "Error: unknown flag: --nope"],
  ])("exits with 1 when it fails: %s", async (name, args, said) => {
    const { code, log } = await run(name, { image: CERTGEN, args });
    expect([code, log]).toEqual([1, expect.stringContaining(said)]);
  });
});

test("the built-in contour certgen creates the Secrets of Contour and Envoy, and again when it may overwrite them", async () => {
  const args = ["certgen", "--kube", "--incluster", "--overwrite", "--secrets-format=compact", "--namespace=default"];
  expect(await run("contour", { ...CONTOUR, args })).toEqual({
    code: 0,
    log: 'Writing "compact" format Secrets to namespace "default"\nsecret/contourcert updated\nsecret/envoycert updated\n',
  });
  const first = await secret("contourcert");
  expectChain(first["ca.crt"], first["tls.crt"], "contour.default.svc.cluster.local");
  const envoy = await secret("envoycert");
  expectChain(first["ca.crt"], envoy["tls.crt"], "envoy");
  expect((await run("contour-again", { ...CONTOUR, args })).code).toBe(0);
  expect(await secret("contourcert")).not.toEqual(first);
  const kept = await run("contour-kept", { ...CONTOUR, args: args.filter((arg) => arg !== "--overwrite") });
  expect(kept.log).toContain("secret/contourcert already exists\n");
});

test("other commands of contour run as stand-ins", async () => {
  const { log } = await run("contour-serve", { ...CONTOUR, args: ["serve", "--incluster"] });
  expect(log).toContain("would have run: contour serve --incluster");
});

test("the built-in cilium certgen creates an authority, keeps it, and creates the configured certificates", async () => {
  const config = `certs:
- name: hubble-server-certs
  namespace: default
  commonName: "*.default.hubble-grpc.cilium.io"
  hosts: ["*.default.hubble-grpc.cilium.io"]
  usage: [signing, key encipherment, server auth, client auth]
  validity: 26280h0m0s
`;
  const args = ["--ca-generate", "--ca-reuse-secret", "--ca-secret-namespace=default", "--ca-secret-name=cilium-ca"];
  const container = {
    image: "quay.io/cilium/certgen:v0.4.1",
    args: [...args, "--ca-common-name=Cilium CA"],
    env: [{ name: "CILIUM_CERTGEN_CONFIG", value: config }],
  };
  const { code, log } = await run("cilium", container);
  expect([code, log]).toEqual([0, expect.stringContaining("Successfully generated all requested certificates.")]);
  const authority = await secret("cilium-ca");
  const first = await secret("hubble-server-certs");
  expectChain(authority["ca.crt"], first["tls.crt"], "node.default.hubble-grpc.cilium.io");
  expect((await run("cilium-again", container)).code).toBe(0);
  expect(await secret("cilium-ca")).toEqual(authority);
  const second = await secret("hubble-server-certs");
  expectChain(authority["ca.crt"], second["tls.crt"], "node.default.hubble-grpc.cilium.io");
  expect(second["tls.crt"]).not.toBe(first["tls.crt"]);
});

describe("the built-in replacement of argocd", () => {
  test("creates a password for Redis once", async () => {
    const container = { image: ARGOCD, command: ["argocd", "admin", "redis-initial-password"] };
    expect(await run("redis", container)).toMatchObject({
      code: 0,
      log: expect.stringContaining("configured properly"),
    });
    const first = await secret("argocd-redis");
    expect(first["auth"]).toMatch(/^[-0-9A-Za-z]{16}$/);
    expect((await run("redis-again", container)).code).toBe(0);
    expect(await secret("argocd-redis")).toEqual(first);
  });

  test("creates the administrator's password, and a stand-in for its server", async () => {
    const { code, log } = await run("server", { image: ARGOCD, args: ["/usr/local/bin/argocd-server", "--port=8080"] });
    expect([code, log]).toEqual([0, expect.stringContaining("stands in for image")]);
    expect((await secret("argocd-initial-admin-secret"))["password"]).toMatch(/^[-0-9A-Za-z]{16}$/);
  });
});

test("the built-in metallb controller creates the speakers' key once, owned by its Deployment", async () => {
  const labels = { app: "controller" };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "c", image: "quay.io/metallb/speaker:v0.15" }] },
  };
  await create("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "controller" },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  });
  const env = [
    { name: "METALLB_ML_SECRET_NAME", value: "memberlist" },
    { name: "METALLB_DEPLOYMENT", value: "controller" },
  ];
  const container = { image: "quay.io/metallb/controller:v0.15", args: ["--port=7472"], env };
  expect(await run("metallb", container)).toMatchObject({
    code: 0,
    log: expect.stringContaining("stands in for image"),
  });
  const first = await secret("memberlist");
  expect(first["secretkey"]).toMatch(/^[A-Za-z0-9+/]{22}$/);
  const made = await call(api, "GET", `${CORE}/secrets/memberlist`);
  expect(made.at("metadata.ownerReferences.0")).toMatchObject({ kind: "Deployment", name: "controller" });
  expect((await run("metallb-again", container)).code).toBe(0);
  expect(await secret("memberlist")).toEqual(first);
});

test("the built-in keda operator creates its programs' certificates when told to", async () => {
  const container = { image: "ghcr.io/kedacore/keda:2.20.2", command: ["/keda"] };
  const args = ["--leader-elect", "--zap-log-level=info", "--cert-secret-name=keda-certs"];
  await run("keda-off", { ...container, args: [...args, "--enable-cert-rotation=false"] });
  expect((await call(api, "GET", `${CORE}/secrets/keda-certs`)).status).toBe(404);
  await run("keda", { ...container, args: [...args, "--enable-cert-rotation=true"] });
  const data = await secret("keda-certs");
  expectChain(data["ca.crt"], data["tls.crt"], "keda-admission-webhooks.default.svc");
  expect(Object.keys(data).sort()).toEqual(["ca.crt", "ca.key", "tls.crt", "tls.key"]);
});
