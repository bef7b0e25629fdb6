import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { openEtcdKv } from "../../src/server/storage/etcd/etcd-kv.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { additions, differences } from "../helpers/across-versions.js";
import { call } from "../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../helpers/etcd.js";

// What kube-apiserver 1.20.2 left in its etcd, with the default --storage-media-type, and what it answered for a part of it.
const folder = join(import.meta.dirname, "../../../shared/data");
const file = (name: string) => join(folder, `kubernetes-1.20-etcd${name}.json`);
const missing =
  etcdMissing ?? (existsSync(file("")) ? undefined : "the keys of a real kube-apiserver are not beside the project");
if (missing !== undefined) process.stdout.write(`the etcd of a real kube-apiserver is skipped: ${missing}\n`);

interface Dump {
  readonly kvs: readonly { readonly key: string; readonly value: string; readonly createRevision: number }[];
}
interface Answered extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string } & JsonObject;
}

const read = <T>(name: string): T => JSON.parse(readFileSync(file(name), "utf8")) as T;
const dump: Dump = missing === undefined ? read("") : { kvs: [] };
/** Without the service of the API server itself, whose addresses every server puts right when it starts. */
const answered: readonly Answered[] = (
  missing === undefined ? read<{ items: readonly Answered[] }>("-objects").items : []
).filter(({ kind, metadata }) => kind !== "Service" || metadata.name !== "kubernetes");

const PLURALS: Readonly<Record<string, string>> = { Ingress: "ingresses", NetworkPolicy: "networkpolicies" };

function pathOf({ apiVersion, kind, metadata }: Answered): string {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  return `${root}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
}

/** What 1.36 has that 1.20 had not: defaults and read-only fields of later versions. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  Job: ["spec.completionMode", "spec.manualSelector", "spec.suspend", "spec.podReplacementPolicy", "status.ready"],
  StatefulSet: ["spec.persistentVolumeClaimRetentionPolicy", "status.availableReplicas"],
  Service: ["spec.internalTrafficPolicy", "spec.ipFamilies", "spec.ipFamilyPolicy"],
};

const AUTHENTICATION = "extension-apiserver-authentication";
const CLIENT_CA = "client-ca-file";

/** What a server says of the front proxies that it believes; the cluster of the dump had none. */
const FRONT_PROXY = [
  "requestheader-allowed-names",
  "requestheader-client-ca-file",
  "requestheader-extra-headers-prefix",
  "requestheader-group-headers",
  "requestheader-uid-headers",
  "requestheader-username-headers",
];

/**
 * Each server on a store adds its own authority of clients to the bundle of extension-apiserver-authentication, behind those of
 * the others, publishes its authority of front proxies, and owns these fields then. `now` as it was before this server did.
 */
function withoutOwnAuthorities(before: Answered, now: Answered): Answered {
  if (before.metadata.name !== AUTHENTICATION) return now;
  const [then, data] = [before, now].map((object) => object["data"] as Readonly<Record<string, string>>);
  const old = then?.[CLIENT_CA] ?? "";
  const bundle = data?.[CLIENT_CA] ?? "";
  expect(bundle.startsWith(old)).toBe(true);
  expect(bundle.slice(old.length).match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
  const published = Object.keys(data ?? {}).filter((key) => !Object.hasOwn(then ?? {}, key));
  expect(published.sort()).toEqual(FRONT_PROXY);
  const owners = now.metadata["managedFields"] as readonly JsonObject[];
  // Under the name that kube-apiserver wrote it by.
  expect(owners.at(-1)?.["manager"]).toBe("kube-apiserver");
  const owned = [CLIENT_CA, ...FRONT_PROXY].map((key) => [`f:${key}`, {}]);
  expect(owners.at(-1)?.["fieldsV1"]).toEqual({ "f:data": { ".": {}, ...Object.fromEntries(owned) } });
  const metadata = { ...now.metadata, managedFields: before.metadata["managedFields"] } as Answered["metadata"];
  return { ...now, metadata, data: then as JsonObject } as Answered;
}

describe.skipIf(missing !== undefined).each(["application/json", "application/vnd.kubernetes.protobuf"] as const)(
  "a server that stores %s, on the etcd of a kube-apiserver 1.20",
  (storageMediaType) => {
    let etcd: EtcdServer;
    let kv: Kv;
    let cluster: Cluster;
    const start = () =>
      startCluster({ storage: "etcd", etcd: { servers: [etcd.endpoint] }, storageMediaType, controllers: false });

    beforeAll(async () => {
      etcd = await startEtcd();
      kv = await openEtcdKv({ endpoints: [etcd.endpoint] });
      for (const { key, value } of dump.kvs) await kv.create(key, Buffer.from(value, "base64"));
      cluster = await start();
    });
    afterAll(async () => {
      await cluster?.close();
      await kv?.close();
      await etcd?.dispose();
    });

    test.each(answered.map((object) => ({ title: pathOf(object), object })))(
      "serves $title as kube-apiserver did, with the fields that 1.36 adds",
      async ({ object }) => {
        const { status, text } = await call(cluster.transport(), "GET", pathOf(object));
        expect(status, text).toBe(200);
        const now = withoutOwnAuthorities(object, JSON.parse(text) as Answered);
        const { resourceVersion: _, selfLink: __, managedFields: then, ...metadata } = object.metadata;
        expect(differences({ ...object, metadata }, now)).toEqual([]);
        // The managers and the fields are the same; fieldsV1 is JSON within protobuf.
        expect(now.metadata["managedFields"]).toEqual(then);
        const more = additions(object, now).filter((path) => !path.startsWith("metadata."));
        expect(more.filter((path) => !(LATER[object.kind] ?? []).includes(path))).toEqual([]);
      },
    );

    test("lists every kind that 1.36 serves, whatever version 1.20 stored it in", async () => {
      const count = async (path: string): Promise<number> => {
        const list = JSON.parse((await call(cluster.transport(), "GET", path)).text) as { items: unknown[] };
        return list.items.length;
      };
      const stored = (prefix: string) => dump.kvs.filter(({ key }) => key.startsWith(`/registry/${prefix}/`)).length;
      const ofOtherVersions = {
        "/apis/discovery.k8s.io/v1/endpointslices": "endpointslices",
        "/apis/networking.k8s.io/v1/ingresses": "ingress",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles": "clusterroles",
        "/apis/apps/v1/controllerrevisions": "controllerrevisions",
        "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas": "flowschemas",
      };
      for (const [path, prefix] of Object.entries(ofOtherVersions)) {
        // The server adds its own bootstrap objects to some.
        expect(await count(path), path).toBeGreaterThanOrEqual(stored(prefix));
        expect(stored(prefix), prefix).toBeGreaterThan(0);
      }
    });

    test("writes in its own format, and leaves unwritten objects as they were", async () => {
      const path = "/apis/apps/v1/namespaces/default/deployments/web";
      const body = { metadata: { labels: { changed: "yes" } } };
      const patched = await call(cluster.transport(), "PATCH", path, body, { type: "application/merge-patch+json" });
      expect(patched.status, patched.text).toBe(200);
      const { kv: written } = await kv.get("/registry/deployments/default/web");
      const magic = Buffer.from(written?.value ?? [])
        .subarray(0, 4)
        .toString("latin1");
      expect(magic === "k8s\0").toBe(storageMediaType !== "application/json");
      const kept = dump.kvs.find(({ key }) => key === "/registry/statefulsets/shop/database");
      const { kv: unwritten } = await kv.get("/registry/statefulsets/shop/database");
      expect(Buffer.from(unwritten?.value ?? []).toString("base64")).toBe(kept?.value);
    });

    test("reads later writes of the kube-apiserver", async () => {
      const previous = dump.kvs.find(({ key }) => key === "/registry/configmaps/default/kube-root-ca.crt");
      await kv.create("/registry/configmaps/default/theirs", Buffer.from(previous?.value ?? "", "base64"));
      await cluster.close();
      cluster = await start();
      const { status, text } = await call(cluster.transport(), "GET", "/api/v1/namespaces/default/configmaps/theirs");
      expect(status, text).toBe(200);
    });
  },
);
