import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { additions, differences } from "../helpers/across-versions.js";
import { type Answer, call } from "../helpers/api-caller.js";
import { certificateRequest } from "../helpers/certificate-request.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../helpers/etcd.js";
import { kubernetesMissing, type RealApiServer, startKubernetes } from "../helpers/kubernetes-1.20.js";

// A kube-apiserver 1.20 opens the etcd that kubets wrote, reads all of it, writes, and kubets opens it again.
const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined) process.stdout.write(`kube-apiserver 1.20 on the store of kubets is skipped: ${missing}\n`);

interface Written {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string; readonly namespace?: string };
}

const file = join(import.meta.dirname, "kubernetes-1.20", "objects.yaml");
const objects: Written[] = loadAll(readFileSync(file, "utf8")) as Written[];
const { request } = await certificateRequest("CN=jane");
objects.push({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "jane" },
  spec: {
    request: Buffer.from(request).toString("base64"),
    signerName: "example.com/own",
    usages: ["client auth"],
  },
} as Written);

/** Kinds that both serve in one version and that 1.36 stores in another, which 1.20 does not have. */
const STORED_LATER = ["autoscaling/v1 HorizontalPodAutoscaler"];

/** What 1.36 has more than 1.20: defaults and fields of later versions. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  CSIDriver: ["spec.seLinuxMount"],
  DaemonSet: ["spec.updateStrategy.rollingUpdate.maxSurge"],
  Job: ["spec.completionMode", "spec.manualSelector", "spec.suspend", "spec.podReplacementPolicy"],
  PersistentVolume: ["status.lastPhaseTransitionTime"],
  Service: ["spec.internalTrafficPolicy"],
  StatefulSet: ["spec.persistentVolumeClaimRetentionPolicy", "status.availableReplicas"],
};

/** 1.20 reads them and cannot change them: its validation wants the labels of its own time on a Job's pods. */
const READ_ONLY = ["Job"];

/** Controllers inside kube-apiserver write their status as soon as it runs. */
const CONTROLLED = ["APIService", "CustomResourceDefinition"];

/** What no controller of kube-apiserver has changed. */
function unchanged(object: Written): unknown {
  if (!CONTROLLED.includes(object.kind)) return object;
  const { apiVersion, kind, metadata, spec } = object as Written & { readonly spec: unknown };
  return { apiVersion, kind, metadata: { name: metadata.name, uid: metadata["uid"] }, spec };
}

type ApiResource = { readonly name: string; readonly kind: string; readonly verbs: readonly string[] };
type Get = (path: string) => Promise<Answer>;

/** "apps/v1 Deployment" -> "/apis/apps/v1", "deployments", of what can be created and listed. */
async function resourcesOf(get: Get): Promise<Map<string, { readonly root: string; readonly resource: string }>> {
  const groups = JSON.parse((await get("/apis")).text) as {
    groups: { versions: { groupVersion: string }[] }[];
  };
  const found = new Map<string, { readonly root: string; readonly resource: string }>();
  const versions = groups.groups.flatMap(({ versions: all }) => all.map(({ groupVersion }) => groupVersion));
  for (const version of ["v1", ...versions]) {
    const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
    const { status, text } = await get(root);
    // 503 of the group of the APIService, which has no server.
    if (status !== 200) continue;
    const list = JSON.parse(text) as { resources: ApiResource[] };
    for (const { name, kind, verbs } of list.resources) {
      if (!verbs.includes("create") || !verbs.includes("list") || name.includes("/")) continue;
      found.set(`${version} ${kind}`, { root, resource: name });
    }
  }
  return found;
}

const titled = objects.map((object) => ({ title: `${object.kind} ${object.metadata.name}`, object }));

describe.skipIf(missing !== undefined).each(["application/json", "application/vnd.kubernetes.protobuf"] as const)(
  "kube-apiserver 1.20 on a store that kubets wrote as %s",
  (storageMediaType) => {
    let etcd: EtcdServer;
    let cluster: Cluster;
    let real: RealApiServer;
    let ours: Awaited<ReturnType<typeof resourcesOf>>;
    const before = new Map<string, Written>();
    const start = () =>
      startCluster({
        scheduler: false,
        storage: "etcd",
        etcd: { servers: [etcd.endpoint] },
        storageMediaType,
        controllers: false,
      });

    const collectionOf = ({ apiVersion, kind, metadata }: Written): string => {
      const served = ours.get(`${apiVersion} ${kind}`);
      if (served === undefined) throw new Error(`kubets does not serve ${apiVersion} ${kind}`);
      const within = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
      return `${served.root}${within}/${served.resource}`;
    };
    const pathOf = (object: Written): string => `${collectionOf(object)}/${object.metadata.name}`;

    beforeAll(async () => {
      etcd = await startEtcd();
      cluster = await start();
      const transport = cluster.transport();
      ours = await resourcesOf((path) => call(transport, "GET", path));
      for (const object of objects) {
        const { status, text } = await call(transport, "POST", collectionOf(object), object);
        if (status !== 201) throw new Error(`POST ${collectionOf(object)}: ${text}`);
        before.set(pathOf(object), JSON.parse(text) as Written);
      }
      await cluster.close();
      real = await startKubernetes({ etcd: etcd.endpoint });
    });
    afterAll(async () => {
      await cluster?.close();
      await real?.stop();
      await etcd?.dispose();
    });

    test("finds objects of every kind that both know and store in a common version", async () => {
      const theirs = await resourcesOf((path) => real.call("GET", path));
      const given = new Set(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
      const shared = [...theirs.keys()].filter((one) => ours.has(one));
      expect(shared.filter((one) => !given.has(one) && !STORED_LATER.includes(one))).toEqual([]);
    });

    test.each(titled)("reads $title, except for fields that came later", async ({ object }) => {
      const { status, text } = await real.call("GET", pathOf(object));
      expect(status, text).toBe(200);
      const theirs = unchanged(JSON.parse(text) as Written);
      const written = unchanged(before.get(pathOf(object)) as Written);
      expect(differences(theirs, written)).toEqual([]);
      const more = additions(theirs, written);
      expect(more.filter((path) => !(LATER[object.kind] ?? []).includes(path))).toEqual([]);
    });

    test("changes objects so that kubets reads the changes, one by one and in a list", async () => {
      const changed = objects.filter(({ kind }) => !READ_ONLY.includes(kind));
      for (const object of changed) {
        const patch = { metadata: { labels: { changed: "yes" } } };
        const type = "application/merge-patch+json";
        const { status, text } = await real.call("PATCH", pathOf(object), patch, { type });
        expect(status, text).toBe(200);
      }
      cluster = await start();
      for (const object of changed) {
        const { status, text } = await call(cluster.transport(), "GET", pathOf(object));
        expect(status, text).toBe(200);
        const now = JSON.parse(text) as Written;
        const { metadata } = now;
        expect(metadata["labels"]).toMatchObject({ changed: "yes" });
        const content = (of: Written) => ({ ...(unchanged(of) as Written), metadata: { uid: of.metadata["uid"] } });
        expect(differences(content(now), content(before.get(pathOf(object)) as Written))).toEqual([]);
        const list = await call(cluster.transport(), "GET", `${collectionOf(object)}?labelSelector=changed`);
        expect(list.text).toContain(`"name":"${metadata.name}"`);
      }
    });
  },
);
