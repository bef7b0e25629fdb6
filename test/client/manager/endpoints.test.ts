import { get, type RequestOptions } from "node:http";
import { get as getByTls } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  kubernetesClient,
  type KubernetesClient,
  Manager,
  type ManagerOptions,
  metricRegistry,
  type Problem,
} from "../../../src/client/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";

let cluster: Cluster;
let client: KubernetesClient;
beforeAll(async () => {
  cluster = await startCluster({ port: false });
  client = kubernetesClient(cluster);
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

/** A manager that runs until it is disposed of, and the ports that it has opened. */
async function running(options: (listening: (name: string) => (port: number) => void) => ManagerOptions) {
  const stop = new AbortController();
  const ports = new Map<string, number>();
  const problems: Problem[] = [];
  const given = options((name) => (port) => void ports.set(name, port));
  const manager = new Manager(client, { ...given, onProblem: (problem) => problems.push(problem) });
  manager.controllerFor("v1", "ConfigMap").reconcile(() => {});
  const run = manager.run(stop.signal);
  await eventually(() => expect(ports.size).toBeGreaterThan(0));
  return {
    ports,
    problems,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

function ask(port: number | undefined, path: string, headers: Record<string, string> = {}, tls = false) {
  return new Promise<{ code: number | undefined; body: string }>((resolve, reject) => {
    const options: RequestOptions & { rejectUnauthorized: boolean } = {
      host: "127.0.0.1",
      port,
      path,
      headers,
      agent: false,
      rejectUnauthorized: false,
    };
    const sent = (tls ? getByTls : get)(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve({ code: answer.statusCode, body: Buffer.concat(chunks).toString() }));
    });
    sent.on("error", reject);
  });
}

const local = { port: 0, host: "127.0.0.1" };

describe("the health port of a manager", () => {
  test("/healthz is ok without a check, and /readyz when the caches are full", async () => {
    await using manager = await running((listening) => ({ health: { ...local, onListening: listening("health") } }));
    const port = manager.ports.get("health");
    expect(await ask(port, "/healthz")).toEqual({ code: 200, body: "ok" });
    await eventually(async () => expect(await ask(port, "/readyz")).toEqual({ code: 200, body: "ok" }));
    expect(await ask(port, "/readyz/informers")).toEqual({ code: 200, body: "ok" });
    expect((await ask(port, "/readyz/other")).code).toBe(404);
    expect((await ask(port, "/metrics")).code).toBe(404);
  });

  test("a check that throws fails its path, without the reason, which is reported", async () => {
    const failing = () => {
      throw new Error("the password is wrong");
    };
    await using manager = await running((listening) => ({
      health: { ...local, liveness: { database: failing, ping: () => {} }, onListening: listening("health") },
    }));
    expect(await ask(manager.ports.get("health"), "/healthz")).toEqual({
      code: 500,
      body: "[-]database failed: reason withheld\n[+]ping ok\nhealthz check failed\n",
    });
    expect(await ask(manager.ports.get("health"), "/healthz/ping")).toEqual({ code: 200, body: "ok" });
    expect(manager.problems).toContainEqual(
      expect.objectContaining({ what: "the healthz check database", error: new Error("the password is wrong") }),
    );
  });
});

describe("the metrics port of a manager", () => {
  test("open: everybody reads controller-runtime's metrics by HTTP", async () => {
    const metrics = await metricRegistry();
    await using manager = await running((listening) => ({
      metrics,
      metricsEndpoint: { ...local, open: true, onListening: listening("metrics") },
    }));
    const { code, body } = await ask(manager.ports.get("metrics"), "/metrics");
    expect(code).toBe(200);
    expect(body).toContain('controller_runtime_max_concurrent_reconciles{controller="configmap"} 1');
  });

  test("by default over TLS: 401 without a token, 403 for a user without the right, 200 for one who has it", async () => {
    for (const name of ["prometheus", "stranger"]) {
      await client.of("v1", "ServiceAccount").namespace("default").create({ metadata: { name } });
    }
    await client.of("rbac.authorization.k8s.io/v1", "ClusterRole").create({
      metadata: { name: "metrics-reader" },
      rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
    });
    await client.of("rbac.authorization.k8s.io/v1", "ClusterRoleBinding").create({
      metadata: { name: "metrics-reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "metrics-reader" },
      subjects: [{ kind: "ServiceAccount", namespace: "default", name: "prometheus" }],
    });
    const tokenOf = async (name: string): Promise<string> => {
      const accounts = client.of("v1", "ServiceAccount").namespace("default");
      const { status } = await accounts.create(
        { metadata: { name }, spec: { audiences: [] } },
        { subresource: "token" },
      );
      return status?.token ?? "";
    };
    const metrics = await metricRegistry();
    await using manager = await running((listening) => ({
      metrics,
      metricsEndpoint: { ...local, onListening: listening("metrics") },
    }));
    const port = manager.ports.get("metrics");
    const as = async (authorization: string) => (await ask(port, "/metrics", { authorization }, true)).code;
    expect((await ask(port, "/metrics", {}, true)).code).toBe(401);
    expect(await as("Bearer nobody")).toBe(401);
    expect(await as(`Bearer ${await tokenOf("stranger")}`)).toBe(403);
    expect(await as(`Bearer ${await tokenOf("prometheus")}`)).toBe(200);
  });

  test("without a registry the manager does not run, and says which option is missing", async () => {
    const manager = new Manager(client, { metricsEndpoint: local });
    await expect(manager.run(new AbortController().signal)).rejects.toThrow("give the option metrics or read");
  });
});
