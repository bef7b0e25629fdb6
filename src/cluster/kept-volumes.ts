import type { Clock } from "../base/time/clock.js";
import type { Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import type { PersistentVolume } from "../api/types/core/v1.js";
import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { InformerFactory } from "../client/informers/informer-factory.js";
import { isUsualFault } from "../client/reflector/list-watch.js";
import type { Transport } from "../client/transport/transport.js";
import { parseQuantity, quantityValue } from "../machinery/text/quantity/quantity.js";
import { KeptVolumes } from "../node/scripted/volumes/kept-volumes.js";

interface KeptVolumesParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly reportError: (error: unknown) => void;
}

/**
 * The volumes that outlive pods. An informer of PersistentVolumes, which starts when the first of them gets bytes, drops the bytes of those that are
 * deleted, and makes room in those that grow.
 */
export function keptVolumes({ transport, clock, timers, random, reportError }: KeptVolumesParts): {
  readonly volumes: KeptVolumes;
  /** Drops all bytes. */
  readonly stop: () => Promise<void>;
} {
  const stopping = new AbortController();
  let following: Promise<void> | undefined;
  const follow = async (): Promise<void> => {
    const client = kubernetesClient({ transport: () => transport });
    const informers = new InformerFactory(client, {
      clock,
      timers,
      random,
      onFault: ({ error }) => (isUsualFault(error) ? undefined : reportError(error)),
      onError: reportError,
    });
    const resize = (volume: PersistentVolume): void => volumes.resize(uidOf(volume), capacityOf(volume));
    const informer = informers.of("v1", "PersistentVolume");
    informer.addHandler({
      added: resize,
      updated: (before, volume) => {
        // A volume of the same name that was made anew.
        if (uidOf(before) !== uidOf(volume)) volumes.drop(uidOf(before));
        resize(volume);
      },
      deleted: (volume) => volumes.drop(uidOf(volume)),
    });
    const { uids } = volumes;
    informers.start(stopping.signal);
    // One may have been deleted before the first list. Nothing waits for it: an informer that is stopped before never has it.
    void informers.synced().then(() => {
      const there = new Set(informer.lister.list().map(uidOf));
      for (const uid of uids) if (!there.has(uid)) volumes.drop(uid);
    });
    await informers.stopped();
    await client.close();
  };
  const volumes = new KeptVolumes({ clock, onFirst: () => void (following ??= follow().catch(reportError)) });
  return {
    volumes,
    async stop() {
      stopping.abort();
      await following;
      volumes.close();
    },
  };
}

const uidOf = ({ metadata }: PersistentVolume): string => metadata?.uid ?? "";

function capacityOf({ spec }: PersistentVolume): number {
  const size = spec?.capacity?.["storage"];
  return size === undefined ? Number.POSITIVE_INFINITY : Number(quantityValue(parseQuantity(size)));
}
