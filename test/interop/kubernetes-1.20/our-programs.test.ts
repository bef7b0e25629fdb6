import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromFile, kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import {
  kubernetesFolder,
  kubernetesMissing,
  type RealApiServer,
  startKubernetes,
} from "../../helpers/kubernetes-1.20.js";
import { programIsBuilt } from "../../helpers/program-under-test.js";
import { startProgram, type StartedProgram } from "../../helpers/started-program.js";

// `kubets controller-manager`, `kubets scheduler` and `kubets node` work for the real kube-apiserver 1.20.
const missing = etcdMissing ?? kubernetesMissing ?? (programIsBuilt ? undefined : "dist is not built (npm run build)");
if (missing !== undefined) process.stdout.write(`the programs on kube-apiserver 1.20 are skipped: ${missing}\n`);

const PATIENCE = 90_000;

describe.skipIf(missing !== undefined)("kubets controller-manager, scheduler and node on kube-apiserver 1.20", () => {
  let etcd: EtcdServer;
  let real: RealApiServer;
  let folder: string;
  let kubeconfig: string;
  let client: KubernetesClient;
  const programs = new Map<string, StartedProgram>();
  const log = (name: string): string => programs.get(name)?.log() ?? "";
  const begin = (name: string, ...args: readonly string[]): void =>
    void programs.set(name, startProgram([name, `--kubeconfig=${kubeconfig}`, ...args], folder));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubets-on-1.20-"));
    etcd = await startEtcd();
    // Controllers of 1.36 make no Secrets with tokens, which pods of 1.20 need unless their tokens are projected.
    real = await startKubernetes({
      etcd: etcd.endpoint,
      more: ["--feature-gates=BoundServiceAccountTokenVolume=true"],
    });
    kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, real.kubeconfig(), { mode: 0o600 });
    client = kubernetesClient(await configFromFile(kubeconfig));
    const pki = join(kubernetesFolder, "pki");
    begin(
      "controller-manager",
      "--secure-port=0",
      `--service-account-private-key-file=${join(pki, "sa.key")}`,
      `--root-ca-file=${join(pki, "ca.crt")}`,
    );
    begin("scheduler", "--secure-port=0");
    begin("node", "--nodes=2");
  }, PATIENCE);

  afterAll(async () => {
    await client?.close();
    for (const program of programs.values()) await program[Symbol.asyncDispose]();
    await real?.stop();
    await etcd?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const until = <T>(attempt: () => Promise<T>): Promise<T> =>
    eventually(async () => {
      try {
        return await attempt();
      } catch (error) {
        const logs = [...programs].map(([name, program]) => `${name}:\n${program.log().slice(-2000)}`);
        throw new Error(`${String(error)}\n${logs.join("\n")}`, { cause: error });
      }
    }, PATIENCE);
  const deployments = () => client.of("apps/v1", "Deployment").namespace("default");
  const imagesOfPods = async (): Promise<readonly (string | undefined)[]> => {
    const { items } = await client.of("v1", "Pod").namespace("default").list({ labelSelector: "app=web" });
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec?.containers[0]?.image);
  };

  test("roll out a Deployment", async () => {
    await deployments().create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: "nginx:1", ports: [{ containerPort: 80 }] }] },
        },
      },
    });
    await until(async () => expect((await deployments().get("web")).status).toMatchObject({ availableReplicas: 3 }));
  });

  test("roll out a new image completely, as kubectl reports it", async () => {
    const image = { spec: { template: { spec: { containers: [{ name: "web", image: "nginx:2" }] } } } };
    await deployments().patch("web", image, { type: "strategic" });
    const kubectl = join(kubernetesFolder, "bin", "kubectl");
    const status = ["--kubeconfig", kubeconfig, "rollout", "status", "deployment/web", "--timeout=120s"];
    const { stdout } = await promisify(execFile)(kubectl, status);
    expect(stdout).toContain('deployment "web" successfully rolled out');
    await until(async () => expect(await imagesOfPods()).toEqual(["nginx:2", "nginx:2", "nginx:2"]));
    const { items } = await client.of("apps/v1", "ReplicaSet").namespace("default").listWhole();
    expect(new Set(items.map(({ spec }) => spec?.replicas))).toEqual(new Set([0, 3]));
    expect(items).toHaveLength(2);
  });

  test("run a Job to its end", async () => {
    const jobs = client.of("batch/v1", "Job").namespace("default");
    await jobs.create({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "work" },
      spec: {
        completions: 2,
        template: {
          spec: { restartPolicy: "Never", containers: [{ name: "work", image: "busybox", command: ["true"] }] },
        },
      },
    });
    await until(async () => {
      const { status } = await jobs.get("work");
      expect(status?.succeeded).toBe(2);
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Complete", status: "True" }));
    });
  });

  test("give a Service the Endpoints of its pods, and pods reach it by its name", async () => {
    await client
      .of("v1", "Service")
      .namespace("default")
      .create({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web" },
        spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
      });
    await until(async () => {
      const { subsets } = await client.of("v1", "Endpoints").namespace("default").get("web");
      expect(subsets?.[0]?.addresses).toHaveLength(3);
    });
    const pods = client.of("v1", "Pod").namespace("default");
    await pods.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "caller" },
      spec: {
        restartPolicy: "OnFailure",
        containers: [{ name: "main", image: "busybox", command: ["wget", "-q", "-O", "-", "http://web"] }],
      },
    });
    await until(async () => expect((await pods.get("caller")).status?.phase).toBe("Succeeded"));
  });

  test("delete a Deployment's pods with it, and a namespace with its content", async () => {
    await deployments().delete("web", { propagationPolicy: "Foreground" });
    await until(async () => expect(await imagesOfPods()).toEqual([]));
    const namespaces = client.of("v1", "Namespace");
    await namespaces.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await until(() => client.of("v1", "ServiceAccount").namespace("shop").get("default"));
    await namespaces.delete("shop");
    await until(async () => expect(await namespaces.get("shop").catch(({ code }) => code)).toBe(404));
  });

  test.each([
    ["cronjob-controller", "CronJob of batch/v1"],
    ["disruption-controller", "PodDisruptionBudget of policy/v1"],
    ["endpointslice-controller", "EndpointSlice of discovery.k8s.io/v1"],
    ["horizontal-pod-autoscaler-controller", "HorizontalPodAutoscaler of autoscaling/v2"],
    ["service-cidr-controller", "ServiceCIDR of networking.k8s.io/v1, IPAddress of networking.k8s.io/v1"],
  ])("do not start %s, and print that the server lacks %s", (name, kinds) => {
    const line = `"Skipping controller" controller="${name}" reason="the API server does not serve ${kinds}"`;
    expect(log("controller-manager")).toContain(line);
  });

  test("log no error, and end with code 0 at SIGTERM", async () => {
    for (const name of programs.keys()) expect(log(name).match(/^E.*$/gm) ?? []).toEqual([]);
    for (const program of programs.values()) expect(await program.stop()).toBe(0);
  });
});
