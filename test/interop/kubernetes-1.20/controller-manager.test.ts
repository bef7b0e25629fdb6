import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromFile, kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { type ApiserverFolder, makeApiserverFolder } from "../../helpers/apiserver-folder.js";
import { etcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import {
  controllerManagerMissing,
  type RealControllerManager,
  startControllerManager,
} from "../../helpers/kube-controller-manager.js";
import { kubeadm } from "../../helpers/kubeadm-command-line.js";
import { programIsBuilt } from "../../helpers/program-under-test.js";
import { startProgram, type StartedProgram } from "../../helpers/started-program.js";

// The real kube-controller-manager 1.20 works for `kubets apiserver`, both with the flags that kubeadm gives them, over a real etcd.
const missing =
  etcdMissing ?? controllerManagerMissing ?? (programIsBuilt ? undefined : "dist is not built (npm run build)");
if (missing !== undefined)
  process.stdout.write(`kube-controller-manager 1.20 on kubets apiserver is skipped: ${missing}\n`);

const PATIENCE = 90_000;
const ELECTION = [
  "--leader-elect=true",
  "--leader-elect-lease-duration=6s",
  "--leader-elect-renew-deadline=4s",
  "--leader-elect-retry-period=1s",
];

describe.skipIf(missing !== undefined)("kube-controller-manager 1.20 on kubets apiserver", () => {
  let folder: ApiserverFolder;
  let server: StartedProgram;
  let real: RealControllerManager | undefined;
  let client: KubernetesClient;
  let kubeconfig: string;

  beforeAll(async () => {
    folder = await makeApiserverFolder();
    const [port = 0] = await freePorts(1);
    server = startProgram(["apiserver", ...kubeadm(folder.etcd), `--secure-port=${port}`], folder.path);
    const file = (name: string): string => join(folder.path, name);
    const text = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "one", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": file("ca.crt") } },
      ],
      users: [{ name: "admin", user: { "client-certificate": file("admin.crt"), "client-key": file("admin.key") } }],
      contexts: [{ name: "one", context: { cluster: "one", user: "admin" } }],
      "current-context": "one",
    });
    kubeconfig = file("admin.conf");
    writeFileSync(kubeconfig, text);
    client = kubernetesClient(await configFromFile(kubeconfig));
    await eventually(async () => {
      const { status } = await client.rest.request({ method: "GET", path: "/readyz", accept: "*/*" });
      expect(status, server.log()).toBe(200);
    }, PATIENCE);
    real = startControllerManager({
      kubeconfig: text,
      controllers: ["*", "bootstrapsigner", "tokencleaner"],
      more: [
        ...ELECTION,
        `--client-ca-file=${file("ca.crt")}`,
        "--cluster-name=kubernetes",
        `--cluster-signing-cert-file=${file("ca.crt")}`,
        `--cluster-signing-key-file=${file("ca.key")}`,
        `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
        `--root-ca-file=${file("ca.crt")}`,
        `--service-account-private-key-file=${file("sa.key")}`,
        "--use-service-account-credentials=true",
        "--v=2",
      ],
    });
  }, PATIENCE);

  afterAll(async () => {
    await client?.close();
    await real?.stop();
    await server?.[Symbol.asyncDispose]();
    await folder?.dispose();
  });

  const until = <T>(attempt: () => Promise<T>): Promise<T> =>
    eventually(async () => {
      try {
        return await attempt();
      } catch (error) {
        throw new Error(`${String(error)}\n${real?.log().slice(-4000)}`, { cause: error });
      }
    }, PATIENCE);

  test("gives a new namespace its ServiceAccount, with a token signed by the server's key, and the authority", async () => {
    await client.of("v1", "Namespace").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await until(() => client.of("v1", "ServiceAccount").namespace("shop").get("default"));
    await until(() => client.of("v1", "ConfigMap").namespace("shop").get("kube-root-ca.crt"));
    const secrets = client.of("v1", "Secret").namespace("shop");
    const token = await until(async () => {
      const { items } = await secrets.listWhole();
      const found = items.find(({ type }) => type === "kubernetes.io/service-account-token")?.data?.["token"];
      expect(found).toBeDefined();
      return Buffer.from(String(found), "base64").toString();
    });
    const review = await client
      .of("authentication.k8s.io/v1", "TokenReview")
      .create({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } } as never);
    expect(review.status).toMatchObject({
      authenticated: true,
      user: { username: "system:serviceaccount:shop:default" },
    });
  });

  const deployments = () => client.of("apps/v1", "Deployment").namespace("shop");
  const sets = async () => (await client.of("apps/v1", "ReplicaSet").namespace("shop").listWhole()).items;
  const pods = async () => (await client.of("v1", "Pod").namespace("shop").listWhole()).items;

  test("creates a Deployment's ReplicaSet and pods, and deletes them with it", async () => {
    await deployments().create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: "nginx" }] },
        },
      },
    });
    await until(async () => expect(await pods()).toHaveLength(3));
    const [set] = await sets();
    expect(set?.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Deployment", name: "web" });
    await until(async () => expect((await deployments().get("web")).status).toMatchObject({ replicas: 3 }));
    await deployments().delete("web", { propagationPolicy: "Background" });
    await until(async () => expect([...(await sets()), ...(await pods())]).toEqual([]));
  });

  test("keeps orphans without their owner", async () => {
    const map = (name: string, owner?: object) =>
      client
        .of("v1", "ConfigMap")
        .namespace("shop")
        .create({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, ...(owner && { ownerReferences: [owner as never] }) },
        });
    const { metadata } = await map("owner");
    await map("owned", { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid });
    await client.of("v1", "ConfigMap").namespace("shop").delete("owner", { propagationPolicy: "Orphan" });
    await until(async () => {
      const { metadata: owned } = await client.of("v1", "ConfigMap").namespace("shop").get("owned");
      expect(owned.ownerReferences ?? []).toEqual([]);
    });
  });

  test("deletes a namespace with all its objects", async () => {
    await client.of("v1", "Namespace").delete("shop");
    await until(async () =>
      expect(
        await client
          .of("v1", "Namespace")
          .get("shop")
          .catch(({ code }) => code),
      ).toBe(404),
    );
  });

  test("does not start controllers of group versions that 1.36 has dropped, and runs the others", () => {
    const log = real?.log() ?? "";
    expect(log).toMatch(/Started "deployment"/);
    expect(log).toMatch(/Skipping "disruption"/);
    expect(log).not.toMatch(/panic/);
  });

  test("LE-3: competes with kubets controller-manager for one Lease, which takes over when it ends", async () => {
    const lease = () =>
      client.of("coordination.k8s.io/v1", "Lease").namespace("kube-system").get("kube-controller-manager");
    const { spec: theirs } = await lease();
    await using ours = startProgram(
      ["controller-manager", `--kubeconfig=${kubeconfig}`, "--secure-port=0", "--controllers=ttl", ...ELECTION, "-v=1"],
      folder.path,
    );
    await until(async () => expect(ours.log()).toContain(`"New leader elected" leader="${theirs?.holderIdentity}"`));
    expect(ours.log()).not.toContain("Starting controller");
    await real?.stop();
    real = undefined;
    await until(async () => expect(ours.log()).toContain('"Starting controller" controller="ttl-controller"'));
    const { spec } = await lease();
    expect(spec?.holderIdentity).not.toBe(theirs?.holderIdentity);
    expect(spec?.leaseTransitions).toBe((theirs?.leaseTransitions ?? 0) + 1);
    expect(await ours.stop()).toBe(0);
  });
});
