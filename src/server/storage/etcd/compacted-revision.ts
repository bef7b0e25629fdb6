import type { Timers } from "../../../base/time/timers.js";
import type { EtcdClient } from "./etcd-client.js";

/**
 * Finds the revision up to which etcd is compacted, given a compacted one. The error of a range request does not contain it;
 * that of a watch does. Returns the lowest possible revision when etcd does not answer in time.
 */
export async function compactedRevision(
  client: EtcdClient,
  key: Uint8Array,
  requested: number,
  timeout: { readonly timers: Timers; readonly milliseconds: number },
): Promise<number> {
  const { stream } = client.openWatch();
  const giveUp = timeout.timers.start(timeout.milliseconds, () => stream.cancel());
  try {
    stream.send({ create: { key, startRevision: requested } });
    for await (const { canceled, compactRevision } of stream.messages) {
      if (compactRevision > 0) return compactRevision;
      if (canceled) break;
    }
  } catch {
    // The caller reports the compaction instead.
  } finally {
    giveUp();
    stream.cancel();
  }
  return requested + 1;
}
