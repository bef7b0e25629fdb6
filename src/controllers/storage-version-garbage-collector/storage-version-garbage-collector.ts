import type { FieldsOf } from "../../machinery/meta/received.js";
import type { InformerSelection } from "../../client/informers/informer-factory.js";
import type {
  StorageVersionStatus,
  StorageVersion,
  ServerStorageVersion,
  StorageVersionCondition,
} from "../../api/types/apiserverinternal/v1alpha1.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { unlessAbsent } from "../writes.js";
import { whereServed } from "../served-resources.js";
import { formatTime } from "../../machinery/meta/time.js";

const KIND = ["internal.apiserver.k8s.io/v1alpha1", "StorageVersion"] as const;
/** The label of the Leases by which API servers say that they live. */
const IDENTITY = "apiserver.kubernetes.io/identity";
const ofServers = {
  namespace: "kube-system",
  labelSelector: `${IDENTITY}=kube-apiserver`,
} satisfies FieldsOf<InformerSelection>;

/** Removes servers that have no Lease any more from StorageVersions, and StorageVersions without servers. */
export const storageVersionGarbageCollector = whereServed(
  ["internal.apiserver.k8s.io/v1alpha1"],
  ({ client, manager, clock }: ControllerContext): void => {
    const { lister } = manager.informers.of(...KIND);
    const versions = client.of(...KIND);
    const leases = client.of("coordination.k8s.io/v1", "Lease").namespace("kube-system");
    manager
      .controllerFor(...KIND)
      .named("storageversion-garbage-collector-controller")
      .watches(
        "coordination.k8s.io/v1",
        "Lease",
        (lease) =>
          lister
            .list()
            .filter((version) => names(version, lease.metadata?.name ?? ""))
            .map(keyOf),
        ofServers,
      )
      .reconcile(async ({ name, object: version }) => {
        const servers = version?.status?.storageVersions ?? [];
        if (version === undefined || servers.length === 0) return;
        const live = [];
        for (const server of servers) if (await lives(server.apiServerID)) live.push(server);
        if (live.length === servers.length) return;
        try {
          if (live.length > 0) await versions.updateStatus(withServers(version, live, clock.now()));
          else await versions.delete(name, { preconditions: { uid: version.metadata.uid ?? "" } });
        } catch (error) {
          // Deleted, or changed since the cache saw it: the change reconciles the object again.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
      });

    async function lives(server: string): Promise<boolean> {
      const lease = await unlessAbsent(leases.get(server));
      return lease?.metadata?.labels?.[IDENTITY] === "kube-apiserver";
    }
  },
);

const names = ({ status }: StorageVersion, server: string): boolean =>
  (status?.storageVersions ?? []).some(({ apiServerID }) => apiServerID === server);

const keyOf = ({ metadata }: StorageVersion) => ({ namespace: "", name: metadata.name ?? "" });

/**
 * Returns the storage version with only these servers' versions, with the version that all of them write, and with a condition
 * that tells whether there is one.
 */
export function withServers(
  version: StorageVersion,
  servers: readonly ServerStorageVersion[],
  now: number,
): StorageVersion {
  const { commonEncodingVersion: before, ...status } = version.status ?? {};
  const [first] = servers;
  const agreed = first !== undefined && servers.every((one) => one.encodingVersion === first.encodingVersion);
  const common = agreed ? first.encodingVersion : undefined;
  const { generation } = version.metadata;
  const condition: StorageVersionCondition = {
    type: "AllEncodingVersionsEqual",
    status: agreed ? "True" : "False",
    ...(generation !== undefined && ({ observedGeneration: generation } satisfies FieldsOf<StorageVersionCondition>)),
    lastTransitionTime: formatTime(now),
    reason: agreed ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
    message: agreed ? "Common encoding version set" : "Common encoding version unset",
  };
  const changed = before !== undefined && common !== undefined && before !== common;
  const conditions = withCondition(status.conditions ?? [], condition, changed);
  return {
    ...version,
    status: {
      ...status,
      storageVersions: [...servers],
      ...(common !== undefined && ({ commonEncodingVersion: common } satisfies FieldsOf<StorageVersionStatus>)),
      conditions,
    },
  };
}

/** The time of a condition is that of its last change. */
function withCondition(
  conditions: readonly StorageVersionCondition[],
  condition: StorageVersionCondition,
  changed: boolean,
): StorageVersionCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  if (old === undefined) return [...conditions, condition];
  const same = old.status === condition.status && !changed;
  const kept = {
    ...condition,
    ...(same && ({ lastTransitionTime: old.lastTransitionTime ?? null } satisfies FieldsOf<StorageVersionCondition>)),
  };
  return conditions.map((one) => (one === old ? kept : one));
}
