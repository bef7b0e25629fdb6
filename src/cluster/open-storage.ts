import type { etcdOptions, storageOptions } from "../component/apiserver-flags/etcd.js";
import type { sizeOptions } from "../component/apiserver-flags/own.js";
import type { OptionsOf } from "../component/option-group.js";
import { isStorageUrl, redactedUrl, type StorageUrl } from "../component/storage-url.js";
import { newestRelease, type Release, type ResourceFacts } from "../api/facts/index.js";
import { schemaEpochOf } from "../api/scheme/published.js";
import type { Clock } from "../base/time/clock.js";
import { privacyFaults } from "../base/files/private-files.js";
import type { Timers } from "../base/time/timers.js";
import type { HttpConnectProxy } from "../client/transport/http-connect.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { formerKeyPrefix, keyPrefix } from "../server/api-registry/key-prefix.js";
import { builtinRecord } from "../server/builtin/index.js";
import type { StorageMediaType } from "../server/endpoints/serializers/serializer.js";
import { openMemoryKv } from "../server/storage/memory/memory-kv.js";
import {
  createStorage,
  type KvStorageOptions,
  type Storage,
  type StorageObserver,
} from "../server/storage/create-storage.js";
import type { Kv } from "../server/storage/kv.js";
import { moveKeys } from "../server/storage/move-keys.js";
import { claimSchemaEpoch } from "../server/storage/schema-epochs.js";
import { schemeOf, type StorageSurroundings } from "../server/storage/storage-schemes.js";
import type { ResourcePlace } from "../server/storage/files/layout.js";

export interface StorageOptions extends OptionsOf<typeof storageOptions>, OptionsOf<typeof sizeOptions> {
  /**
   * "memory", the default, forgets everything at close; "disk" keeps it in `dataDir`; "etcd" where {@link etcd} says. A URL is opened by its
   * scheme: "postgres://..." or one of registerStorage.
   */
  readonly storage?: StoragePlace;
  /**
   * Made when it is missing. Certificates and, for "disk", objects are kept here: a folder of this cluster's own. Servers
   * that share an etcd share this folder too, or each of them publishes another CA.
   */
  readonly dataDir?: string;
  /**
   * Receives what the server goes on in spite of. Before it serves: what of {@link dataDir} other users may read or change (a folder
   * that was there keeps its mode). On an etcd also servers that have another authority, and nodes of earlier versions that are removed.
   */
  readonly onWarning?: (warning: string) => void;
  /** Needed for "etcd". */
  readonly etcd?: EtcdConnection | undefined;
  /**
   * Ends the start when it aborts: what was opened is closed, whether etcd answers or not, and the start rejects with the signal's reason.
   * It has no effect on a server that has started.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The storage of objects: a word or a URL. */
export type StoragePlace = "memory" | "disk" | "etcd" | StorageUrl;

/** The address of an etcd 3.4 or later and how to connect to it; these are kube-apiserver's flags --etcd-.... */
export type EtcdConnection = OptionsOf<typeof etcdOptions>;

/** Whether other servers may work on the same objects at the same time. A folder belongs to one process. */
export const isShared = ({ storage = "memory" }: Pick<StorageOptions, "storage">): boolean =>
  storage === "etcd" || (isStorageUrl(storage) && schemeOf(storage).isShared === true);

/** Whether the storage is of this server alone, and keeps objects from one start to the next. */
export const isKeptAlone = (options: Pick<StorageOptions, "storage">): boolean =>
  !isShared(options) && (options.storage ?? "memory") !== "memory";

/** The warning about an election on a storage for which {@link isShared} is false. */
export const electionHasNoEffect = ({ storage = "memory" }: StorageOptions): string =>
  `leader election has no effect: storage "${isStorageUrl(storage) ? redactedUrl(storage) : storage}" belongs to one server`;

/** Opens the key-value store. `proxy` is the proxy to etcd. */
export async function openKv(
  options: StorageOptions & Pick<StorageSurroundings, "mustExist"> & { readonly release?: Release },
  clock: Clock,
  timers: Timers,
  proxy?: HttpConnectProxy,
): Promise<Kv> {
  const { dataDir, onWarning } = options;
  const kv = await openKvOf(options, clock, timers, proxy);
  if (dataDir !== undefined && onWarning !== undefined) for (const fault of privacyFaults(dataDir)) onWarning(fault);
  return kv;
}

async function openKvOf(
  {
    storage = "memory",
    dataDir,
    etcd,
    signal,
    onWarning: warn = () => {},
    mustExist = false,
    release = newestRelease,
  }: Parameters<typeof openKv>[0],
  clock: Clock,
  timers: Timers,
  proxy: HttpConnectProxy | undefined,
): Promise<Kv> {
  switch (storage) {
    case "memory":
      return openMemoryKv({ clock, timers });
    case "disk": {
      if (dataDir === undefined) throw new Error('storage "disk" needs a folder: set the option dataDir');
      const { openSqliteKv } = await import("../server/storage/sqlite/sqlite-kv.js");
      return openSqliteKv({ directory: dataDir, clock, timers });
    }
    case "etcd": {
      if (etcd === undefined) throw new Error('storage "etcd" needs the addresses of an etcd: set the option etcd');
      const { openEtcdKv } = await import("../server/storage/etcd/etcd-kv.js");
      const { servers, compactionInterval: _, ...rest } = etcd;
      // Without the cluster's clock: etcd's leases expire by the time of its own machine.
      return openEtcdKv({ endpoints: servers, ...rest, proxy, signal });
    }
    default:
      return schemeOf(storage).open(storage, {
        clock,
        timers,
        signal,
        warn,
        mustExist,
        places: () => resourcePlaces(release),
      });
  }
}

/** The key prefix, kinds and scope of each built-in resource. Two resources that share their objects have one entry, that of the first. */
export function resourcePlaces(release: Release = newestRelease): readonly ResourcePlace[] {
  const places = new Map<string, ResourcePlace & { readonly kinds: { group: string; kind: string }[] }>();
  for (const { group, name, kind, namespaced } of release.servedResources({ "api/all": true })) {
    const prefix = keyPrefix({ group, name }, builtinRecord(group, name)?.storage);
    const known = places.get(prefix);
    if (known === undefined)
      places.set(prefix, { prefix, group, resource: name, namespaced, kinds: [{ group, kind }] });
    else if (!known.kinds.some((one) => one.group === group && one.kind === kind)) known.kinds.push({ group, kind });
  }
  return [...places.values()];
}

/**
 * Makes the storage of a server's objects over `kv`. `foreign` is true where other programs may have written versions that are no
 * longer served.
 */
export async function openStorage(
  kv: Kv,
  {
    watchCache = true,
    storageMediaType = "application/json",
    storage,
    maxObjectBytes,
    etcd,
    namesUnreadable = false,
  }: StorageOptions & Pick<KvStorageOptions, "namesUnreadable">,
  release: Release,
  clock: Clock,
  timers: Timers,
  observer?: StorageObserver,
): Promise<{ readonly storage: Storage; readonly foreign: boolean }> {
  const upgrades = !(await claimSchemaEpoch(kv, schemaEpoch(release, storageMediaType)));
  if (upgrades) await moveFormerKeys(kv, release);
  const foreign = upgrades || hasOtherWriters(storage) || storageMediaType !== "application/json";
  const limit = maxObjectBytes === undefined ? {} : { maxObjectBytes };
  const compaction =
    etcd?.compactionInterval === undefined ? {} : { compactionSeconds: etcd.compactionInterval / 1000 };
  const name = storage === "etcd" ? "etcd3" : storage?.split(":", 1)[0];
  const given = { kv, clock, timers, watchCache, upgrades, namesUnreadable, observer, name: name ?? "memory" };
  return { storage: createStorage({ ...given, ...limit, ...compaction }), foreign };
}

const hasOtherWriters = (storage: StoragePlace = "memory"): boolean =>
  storage === "etcd" || (isStorageUrl(storage) && schemeOf(storage).hasOtherWriters === true);

/** A server that stores JSON must know of a store that holds protobuf: it may need schemas that it has no other use for. */
const schemaEpoch = (release: Release, mediaType: StorageMediaType): string =>
  mediaType === "application/json" ? schemaEpochOf(release) : `${schemaEpochOf(release)}-protobuf`;

/** Stores of earlier versions of kubets have other keys than kube-apiserver's. */
async function moveFormerKeys(kv: Kv, release: Release): Promise<void> {
  const moves = new Map<string, FormerKeys>();
  for (const resource of release.servedResources({ "api/all": true })) {
    const from = formerKeyPrefix(resource);
    const known = moves.get(from);
    if (known !== undefined) known.kinds.push(resource);
    else
      moves.set(from, {
        ...resource,
        to: keyPrefix(resource, builtinRecord(resource.group, resource.name)?.storage),
        kinds: [resource],
      });
  }
  for (const [from, former] of moves) {
    if (from === former.to) continue;
    let definition: ReturnType<Kv["get"]> | undefined;
    await moveKeys(kv, from, former.to, async (value) => {
      if (!isOfKind(value, former.kinds)) return false;
      // What is stored below these keys may be the definition's.
      definition ??= kv.get(definitionKey(former));
      return (await definition).kv === undefined;
    });
  }
}

interface FormerKeys {
  readonly group: string;
  readonly name: string;
  readonly to: string;
  /** The resource at each of its versions. */
  readonly kinds: ResourceFacts[];
}

/** Where a CustomResourceDefinition of a resource's name is stored, by every version of kubets and by kube-apiserver. */
const definitionKey = ({ group, name }: FormerKeys): string =>
  `/registry/apiextensions.k8s.io/customresourcedefinitions/${name}.${group}`;

/**
 * Whether a stored object is one that a built-in resource wrote. Custom resources have the same keys as built-in ones once had, and no
 * version of kubets has let a definition have a built-in version's kind. Under the former keys there was only JSON.
 */
function isOfKind(value: Uint8Array, kinds: readonly ResourceFacts[]): boolean {
  try {
    const { apiVersion, kind } = JSON.parse(Buffer.from(value).toString()) as KubeObject;
    return kinds.some((one) => one.groupVersion === apiVersion && one.kind === kind);
  } catch {
    return false;
  }
}
