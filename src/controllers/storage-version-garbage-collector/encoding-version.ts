import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
} from "../../api/types/apiserverinternal/v1alpha1.js";
import { formatTime } from "../../machinery/meta/time.js";

/** The storage version with these servers' versions alone: the one that all of them write, and whether there is one. */
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
    ...(generation !== undefined && { observedGeneration: generation }),
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
      ...(common !== undefined && { commonEncodingVersion: common }),
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
  const kept = { ...condition, ...(same && { lastTransitionTime: old.lastTransitionTime ?? null }) };
  return conditions.map((one) => (one === old ? kept : one));
}
