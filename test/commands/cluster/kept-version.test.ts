// A named cluster keeps its version of Kubernetes. Clusters are started and closed in this process.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { configFromFile, kubernetesClient } from "../../../src/client/index.js";
import { serveNamedCluster } from "../../../src/cluster/named/index.js";
import { clustersFolder, recordFile } from "../../../src/client/config/named-cluster.js";
import { DEFAULT_VERSION } from "../../../src/machinery/served-versions.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "kubets-kept-version-"));
});
afterEach(() => rmSync(home, { recursive: true }));

interface Start {
  readonly kubernetesVersion?: string;
  readonly downgrade?: boolean;
}

type Client = ReturnType<typeof kubernetesClient>;

/** A start, what is done with the cluster, and its stop. Returns the version that /version says, and the warnings. */
async function start(
  { kubernetesVersion, downgrade = false }: Start,
  act: (client: Client) => Promise<unknown> = async () => {},
) {
  const warnings: string[] = [];
  const { close, kubeconfig } = await serveNamedCluster({
    name: "one",
    storage: { storage: `files:${join(home, "objects")}` },
    server: {
      controllers: [],
      scheduler: false,
      nodes: 0,
      runtimeConfig: { "api/all": true },
      ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    },
    port: 0,
    dataDir: "",
    downgrade,
    env: { HOME: home },
    cwd: home,
    clock: systemClock,
    signal: new AbortController().signal,
    warn: (text) => void warnings.push(text),
    say: () => {},
    reportError: () => {},
  });
  const client = kubernetesClient(await configFromFile(kubeconfig));
  try {
    await act(client);
    const { minor } = (await client.rest.request({ method: "GET", path: "/version" })).json() as { minor: string };
    return { version: `1.${minor}`, warnings };
  } finally {
    await client.close();
    await close();
  }
}

const recordOf = (name: string): string => recordFile(clustersFolder({ HOME: home }, home), name);

test("a new cluster has the default Kubernetes version; an older one keeps its version, and kubets prints how to upgrade", async () => {
  expect(await start({ kubernetesVersion: "1.36" })).toEqual({ version: "1.36", warnings: [] });
  expect(await start({})).toEqual({
    version: "1.36",
    warnings: [
      `cluster "one" stays Kubernetes 1.36; move it to ${DEFAULT_VERSION} with: kubets cluster start one --kubernetes-version=${DEFAULT_VERSION}`,
    ],
  });
  expect(await start({ kubernetesVersion: DEFAULT_VERSION })).toEqual({ version: DEFAULT_VERSION, warnings: [] });
  expect(await start({})).toEqual({ version: DEFAULT_VERSION, warnings: [] });
});

test("kubets downgrades a cluster without a message when nothing would be lost", async () => {
  await start({ kubernetesVersion: "1.37" }, (client) =>
    client
      .of("v1", "ConfigMap")
      .namespace("default")
      .create({ metadata: { name: "kept" }, data: { a: "b" } }),
  );
  const { version } = await start({ kubernetesVersion: "1.36" }, async (client) => {
    expect((await client.of("v1", "ConfigMap").namespace("default").get("kept")).data).toEqual({ a: "b" });
  });
  expect(version).toBe("1.36");
});

test("kubets downgrades a cluster that would lose kinds and fields only with a flag", async () => {
  await start({ kubernetesVersion: "1.37" }, async (client) => {
    await client
      .of("lifecycle.k8s.io/v1alpha1", "EvictionRequest")
      .namespace("default")
      .create({
        metadata: { name: "gone" },
        spec: {
          intent: "Eviction",
          requester: "example.com/me",
          target: { pod: { name: "web", uid: "7c7dfd4c-0fd0-4a5c-8c4c-0d0b5f3e6a11" } },
        },
      });
  });
  const older = { kubernetesVersion: "1.36" };
  await expect(start(older)).rejects.toThrow(
    'cluster "one" stores what Kubernetes 1.36 does not know and would lose:\n  lifecycle.k8s.io/v1alpha1 EvictionRequest (1 object)\nstart it all the same with: kubets cluster start one --kubernetes-version=1.36 --downgrade',
  );
  // Nothing has changed.
  expect((await start({})).version).toBe("1.37");
  expect((await start({ ...older, downgrade: true })).version).toBe("1.36");
});

test("kubets takes a cluster whose record has no version for 1.36", async () => {
  await start({ kubernetesVersion: "1.36" });
  const { kubernetesVersion, ...record } = JSON.parse(readFileSync(recordOf("one"), "utf8")) as {
    kubernetesVersion: string;
  };
  expect(kubernetesVersion).toBe("1.36");
  writeFileSync(recordOf("one"), JSON.stringify(record));
  expect((await start({})).version).toBe("1.36");
});
