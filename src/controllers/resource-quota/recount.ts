import { quotaStatus, type Usage } from "../../api/quota/index.js";
import type { ResizeSums } from "../../api/pods/pod-total.js";
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/types/core/v1.js";
import type { DeviceClass } from "../../api/types/resource/v1.js";
import type { ApiObject } from "../../machinery/meta/object.js";

/** The charges that servers are about to make, or have made for objects that are not stored yet. */
export interface OpenQuotaCharges {
  /** The sum for the quota of this uid, by the latest state of the store. */
  of(uid: string): Promise<Usage>;
}

/** Reads the latest state of the store at each call. */
export interface RecountSources {
  quota(): Promise<ResourceQuota | undefined>;
  open(quota: ResourceQuota): Promise<Usage>;
  objects(quota: ResourceQuota): Promise<ReadonlyMap<string, readonly ApiObject[]>>;
}

export interface Recount {
  readonly quota: ResourceQuota;
  /** To be written at the version of `quota`; undefined when it has it already. */
  readonly status: ResourceQuotaStatus | undefined;
  /** Whether charges were open: then the quota may have more room than `status` says, and is to be counted again soon. */
  readonly isOpen: boolean;
}

/**
 * Counts the usage of a quota. The order of the reads makes it exact: a charge that the quota contains was opened before, and is
 * closed after its object is stored, so that either the open charge or the object is found. A charge that the quota does not
 * contain yet makes the write of `status` conflict.
 */
export async function recount(
  sources: RecountSources,
  now: number,
  classes: readonly DeviceClass[] = [],
  resizes?: ResizeSums,
): Promise<Recount | undefined> {
  const quota = await sources.quota();
  if (quota === undefined) return undefined;
  const open = await sources.open(quota);
  const objects = await sources.objects(quota);
  const status = quotaStatus(quota, (resource) => objects.get(resource), now, open, classes, resizes);
  return { quota, status, isOpen: open.size > 0 };
}
