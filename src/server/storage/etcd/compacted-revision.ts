import type { Timers } from "../../../base/timers.js";
import type { EtcdClient } from "./etcd-client.js";

/**
 * Up to which revision etcd is compacted, given one that is. A range request does not say; a watch does. Answers the
 * least it can be when etcd does not answer in time.
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
    // The caller reports the compaction, not this.
  } finally {
    giveUp();
    stream.cancel();
  }
  return requested + 1;
}
