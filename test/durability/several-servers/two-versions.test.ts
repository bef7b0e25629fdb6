import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { parseYaml } from "../../../src/machinery/text/yaml/read.js";
import { call } from "../../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";

tellEtcdMissing("servers of two versions on one etcd");

// How long they write: KUBETS_SERVERS_SECONDS=120 npx vitest run --mode long test/durability/several-servers/two-versions
const SECONDS = Number(process.env.KUBETS_SERVERS_SECONDS ?? 15);
const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];
const otherOf = (version: Version): Version => (version === "1.36" ? "1.37" : "1.36");

const TABLES = join(import.meta.dirname, "../../interop/tables");
/** Those that make pods of a Deployment. Others would change and delete what the servers pass on to each other. */
const CONTROLLERS = [
  "deployment-controller",
  "node-lifecycle-controller",
  "replicaset-controller",
  "root-ca-certificate-publisher-controller",
  "serviceaccount-controller",
];
/** Kinds whose objects act on the cluster itself, or end as soon as they are made. */
const LEFT_OUT = new Set(["APIService", "Namespace", "Node", "StorageVersion", "CustomResourceDefinition"]);

interface Written {
  readonly object: KubeObject;
  /** The name of the file, which its objects mention. */
  readonly namespace: string;
}

/** The first object of each kind in the files of tables, as a user writes it. */
function objectsOfFiles(): readonly Written[] {
  const first = new Map<string, Written>();
  for (const file of readdirSync(TABLES).filter((name) => name.endsWith(".yaml"))) {
    for (const text of readFileSync(join(TABLES, file), "utf8").split(/^---$/m)) {
      const document = parseYaml(text) as (KubeObject & { stages?: unknown }) | null;
      if (document === null || document.apiVersion?.endsWith("example.org/v1") === true) continue;
      const { status: _status, stages: _stages, ...object } = document;
      const key = `${document.apiVersion} ${document.kind}`;
      if (!first.has(key) && !LEFT_OUT.has(document.kind ?? ""))
        first.set(key, { object, namespace: file.slice(0, -".yaml".length) });
    }
  }
  return [...first.values()];
}

describe.skipIf(etcdMissing !== undefined)("K37-104, K37-269: servers of 1.36 and 1.37 on one etcd", () => {
  let etcd: EtcdServer;
  let folder: string;
  const clusters = new Map<Version, Cluster>();
  const clients = new Map<Version, KubernetesClient>();
  const clientOf = (version: Version): KubernetesClient => clients.get(version) as KubernetesClient;

  beforeAll(async () => {
    etcd = await startEtcd();
    folder = await mkdtemp(join(tmpdir(), "kubets-two-versions-"));
    for (const version of VERSIONS) {
      const cluster = await startCluster({
        storage: "etcd",
        etcd: { servers: [etcd.endpoint] },
        dataDir: join(folder, "shared"),
        serverName: `server-${version}`,
        kubernetesVersion: version,
        runtimeConfig: { "api/all": true },
        controllers: CONTROLLERS,
        nodes: 1,
      });
      clusters.set(version, cluster);
      clients.set(version, kubernetesClient(cluster));
    }
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    for (const cluster of clusters.values()) await cluster.close();
    await etcd.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** The kinds of the files that both versions serve in the same version of the API. */
  async function sharedObjects(): Promise<readonly Written[]> {
    const shared: Written[] = [];
    for (const one of objectsOfFiles()) {
      const { object } = one;
      const served = await Promise.all(
        VERSIONS.map(async (version) => {
          const { apiVersion = "" } = object;
          const root = apiVersion.includes("/") ? "/apis" : "/api";
          const { status, text } = await call(
            (clusters.get(version) as Cluster).transport(),
            "GET",
            `${root}/${apiVersion}`,
          );
          return status === 200 && text.includes(`"kind":"${object.kind}"`);
        }),
      );
      if (served.every(Boolean)) shared.push(one);
    }
    return shared;
  }

  test("each read, change and delete what the other wrote, for every kind that both serve", {
    timeout: (SECONDS + 240) * 1000,
  }, async () => {
    const objects = await sharedObjects();
    const kinds = new Set(objects.map(({ object }) => object.kind));
    expect(kinds.size).toBeGreaterThan(45);
    for (const name of new Set(objects.map(({ namespace }) => namespace))) {
      await clientOf("1.36").of("v1", "Namespace").create({ metadata: { name } });
    }
    const until = performance.now() + SECONDS * 1000;
    let rounds = 0;
    for (; rounds < 2 || performance.now() < until; rounds++) {
      for (const [index, one] of objects.entries()) {
        await passOn(one, VERSIONS[(index + rounds) % 2] ?? "1.36", rounds);
      }
    }
    process.stdout.write(`two versions on one etcd: ${kinds.size} kinds, ${rounds} rounds\n`);
  });

  /** One server creates the object, the other reads and changes it, the first reads it and deletes it, and the other misses it. */
  async function passOn({ object, namespace }: Written, writer: Version, round: number): Promise<void> {
    const reader = otherOf(writer);
    // The name of an address is the address.
    const name = object.kind === "IPAddress" ? `10.96.201.${round % 256}` : `${object.metadata?.name}-${round}`;
    const what = `${object.apiVersion} ${object.kind} by ${writer}`;
    const at = { ...object, metadata: { ...object.metadata, name, namespace } };
    const [mine, theirs] = await Promise.all(
      [writer, reader].map((version) => clientOf(version).resourceFor<KubeObject>(at)),
    );
    if (mine === undefined || theirs === undefined) throw new Error(`${what} is not served`);
    const { namespace: _namespace, ...metadata } = at.metadata;
    const made = await mine.create({ ...object, metadata }).catch((error: unknown) => {
      throw new Error(`${what}: ${String(error)}`, { cause: error });
    });
    const read = await theirs.get(made.metadata?.name ?? "");
    // Controllers may add to it meanwhile: the node of a pod, the volume of a claim.
    expect({ what, ...settled(read) }).toMatchObject({ what, ...settled(made) });
    const changed = await theirs.patch(name, { metadata: { labels: { round: String(round) } } }, { type: "merge" });
    const again = await mine.get(name);
    expect({ what, labels: again.metadata?.labels }).toEqual({ what, labels: changed.metadata?.labels });
    expect({ what, ...settled(again) }).toMatchObject({ what, ...settled(made) });
    const { items } = await theirs.list({ labelSelector: `round=${round}` });
    expect({ what, names: items.map(({ metadata: one }) => one?.name) }).toEqual({ what, names: [name] });
    await mine.delete(name, { gracePeriodSeconds: 0, propagationPolicy: "Background" });
    const gone = await theirs.get(name).catch((error: unknown) => error);
    // Controllers hold some until they have looked at them.
    if (!(gone instanceof Error))
      expect({ what, deleted: isEnding(gone as KubeObject) }).toEqual({ what, deleted: true });
  }

  test("K37-104: store a kind in a version that both know, although each serves a version that the other does not", async () => {
    const kind = "DeviceTaintRule";
    const spec = { taint: { key: "a.example.com/b", effect: "NoSchedule" } };
    const write = (version: Version, apiVersion: string, name: string) =>
      clientOf(version).of<KubeObject & { spec: object }>(apiVersion, kind).create({ metadata: { name }, spec });
    await write("1.37", "resource.k8s.io/v1", "of-newer");
    await write("1.36", "resource.k8s.io/v1alpha3", "of-older");
    for (const [version, apiVersion] of [
      ["1.36", "resource.k8s.io/v1alpha3"],
      ["1.36", "resource.k8s.io/v1beta2"],
      ["1.37", "resource.k8s.io/v1beta2"],
      ["1.37", "resource.k8s.io/v1"],
    ] as const) {
      const { items } = await clientOf(version).of<KubeObject & { spec: object }>(apiVersion, kind).list();
      const read = items.filter(({ metadata }) => metadata?.name?.startsWith("of-"));
      for (const one of read) expect(one.spec).toMatchObject(spec);
      expect([version, apiVersion, read.map(({ metadata }) => metadata?.name)]).toEqual([
        version,
        apiVersion,
        ["of-newer", "of-older"],
      ]);
    }
  });

  test("scale one Deployment in turn, and create every object only once", { timeout: 240_000 }, async () => {
    const spec = {
      replicas: 1,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "c", image: "i" }] },
      },
    };
    await clientOf("1.36")
      .of("apps/v1", "Deployment")
      .namespace("default")
      .create({ metadata: { name: "web" }, spec });
    for (const replicas of [4, 1, 6, 3]) {
      const version = replicas % 2 === 0 ? "1.37" : "1.36";
      await clientOf(version)
        .of("apps/v1", "Deployment")
        .namespace("default")
        .patch("web", { spec: { replicas } }, { type: "merge" });
      await eventually(async () => {
        for (const one of VERSIONS) {
          const { items } = await clientOf(one).of("v1", "Pod").namespace("default").list({ labelSelector: "app=web" });
          const ready = items.filter(({ status }) => status?.phase === "Running");
          expect([items.length, ready.length]).toEqual([replicas, replicas]);
        }
      });
    }
  });
});

/** What an object is apart from what controllers and the servers write meanwhile. */
function settled({ metadata: _metadata, status: _status, ...rest }: KubeObject): object {
  return rest;
}

const isEnding = ({ metadata }: KubeObject): boolean => metadata?.deletionTimestamp !== undefined;
