import { join } from "node:path";
import { expect } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";
import { type FakeKubelet, startFakeKubelet } from "../helpers/fake-kubelet.js";
import { describeChecks } from "./foreign-checks.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

type Language = "go" | "java" | "python" | "rust";

const { foreignClient } = (await import("../helpers/build-foreign-clients.mjs" as string)) as {
  foreignClient: (language: Language) => { readonly command?: readonly string[]; readonly missing?: string };
};

/**
 * Runs the program of test/interop/<language> against a cluster of its own.
 *
 * The program's surroundings: KUBECONFIG; MANIFEST, a file of several documents; LOGGED_POD in the namespace "default", which
 * has a log; EXPIRED_RESOURCE_VERSION and EXPIRED_CONTINUE, of lists of namespaces that the server can no longer go on from.
 */
export function describeForeignClient(language: Language, title: string, checks: readonly string[]): void {
  const { command, missing } = foreignClient(language);
  if (missing !== undefined) process.stdout.write(`${language} interop is skipped: ${missing}\n`);

  describeChecks(title, {
    command,
    checks,
    start: async () => {
      const [cluster, kubelet] = await Promise.all([startCluster(quietCluster), startFakeKubelet()]);
      return {
        kubeconfig: cluster.kubeconfig(),
        env: {
          MANIFEST: join(import.meta.dirname, "several-documents.yaml"),
          LOGGED_POD: await createLoggedPod(cluster, kubelet),
          ...(await expire(cluster)),
        },
        async [Symbol.asyncDispose]() {
          await cluster.close();
          await kubelet.close();
        },
      };
    },
  });
}

/** The pod is bound to a node whose agent is `kubelet`. Answers its name. */
async function createLoggedPod(cluster: Cluster, kubelet: FakeKubelet): Promise<string> {
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await post(cluster, "/api/v1/nodes", { metadata: { name: "node" }, status });
  const spec = { nodeName: "node", containers: [{ name: "app", image: "nginx" }] };
  await post(cluster, "/api/v1/namespaces/default/pods", { metadata: { name: "logged" }, spec });
  return "logged";
}

/** Lists namespaces, then writes more bytes of history than the server keeps. */
async function expire(cluster: Cluster): Promise<Record<string, string>> {
  const { text: list } = await call(cluster.transport(), "GET", "/api/v1/namespaces?limit=1");
  const { metadata } = JSON.parse(list) as { metadata: { resourceVersion: string; continue: string } };
  const configMaps = "/api/v1/namespaces/default/configmaps";
  const large = (content: string) => ({ metadata: { name: "large" }, data: { content } });
  await post(cluster, configMaps, large(""));
  for (let written = 0; written < 70; written++) {
    const { status, text } = await call(
      cluster.transport(),
      "PUT",
      `${configMaps}/large`,
      large(`${written}`.padEnd(1_000_000, "-")),
    );
    expect(status, text).toBe(200);
  }
  await call(cluster.transport(), "DELETE", `${configMaps}/large`);
  return { EXPIRED_RESOURCE_VERSION: metadata.resourceVersion, EXPIRED_CONTINUE: metadata.continue };
}

async function post(cluster: Cluster, path: string, body: object): Promise<void> {
  const { status, text } = await call(cluster.transport(), "POST", path, body);
  expect(status, text).toBe(201);
}
