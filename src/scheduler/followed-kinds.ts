import { dictionary } from "../base/collections/dictionary.js";
import type { Timers } from "../base/time/timers.js";
import type { AnyKindIn, AnyObjectOf } from "../client/dynamic/api-kinds.js";
import type { Stored } from "../client/dynamic/stored.js";
import type { ReadonlyIndexer } from "../client/informers/indexer.js";
import type { InformerFactory } from "../client/informers/informer-factory.js";
import type { SharedInformer } from "../client/informers/shared-informer.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { Action, type ClusterEvent, type EventResource } from "./framework/cluster-event.js";

/** Passes the change of an object that plugins follow to the queue. */
export type OnChange = (event: ClusterEvent, before: unknown, after: unknown) => void;

/** The kinds whose changes move pods, as events name them. */
const RESOURCES: Readonly<Record<string, EventResource>> = dictionary({
  PersistentVolume: "PersistentVolume",
  PersistentVolumeClaim: "PersistentVolumeClaim",
  StorageClass: "StorageClass",
  CSINode: "CSINode",
  CSIDriver: "CSIDriver",
  CSIStorageCapacity: "CSIStorageCapacity",
  VolumeAttachment: "VolumeAttachment",
  ResourceClaim: "ResourceClaim",
  ResourceSlice: "ResourceSlice",
  DeviceClass: "DeviceClass",
});

/** Starts informers of volumes and devices for the first pod that needs them: most clusters use neither. */
export class FollowedKinds {
  readonly #started = new Map<string, { readonly synced: Promise<void>; isSynced: boolean }>();

  /** By kind: no two groups that are followed have one of the same name. */
  readonly #caches = new Map<string, ReadonlyIndexer<KubeObject>>();

  readonly #watchers = new Set<() => void>();

  constructor(
    private readonly informers: InformerFactory,
    private readonly signal: AbortSignal,
    private readonly onChange: OnChange,
    /** Whether the server has a kind. One that it does not have is not followed, and has no objects. */
    private readonly serves: (apiVersion: string, kind: string) => boolean = () => true,
  ) {}

  /** The cache of a kind; empty before {@link follow} has resolved for it. */
  cache<V extends string, K extends AnyKindIn<V>>(
    apiVersion: V,
    kind: K,
  ): SharedInformer<Stored<AnyObjectOf<V, K>>>["cache"] {
    let cache = this.#caches.get(kind);
    if (cache === undefined) {
      cache = this.informers.of<string, string>(apiVersion, kind).cache;
      this.#caches.set(kind, cache);
    }
    return cache as SharedInformer<Stored<AnyObjectOf<V, K>>>["cache"];
  }

  /** Resolves when the caches of the kinds are current; undefined when they already are. */
  follow(kinds: readonly (readonly [apiVersion: string, kind: string])[]): Promise<void> | undefined {
    const waiting: Promise<void>[] = [];
    for (const [apiVersion, kind] of kinds) {
      if (!this.serves(apiVersion, kind)) continue;
      let started = this.#started.get(kind);
      if (started === undefined) {
        started = this.#start(apiVersion, kind);
        this.#started.set(kind, started);
      }
      if (!started.isSynced) waiting.push(started.synced);
    }
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
  }

  /**
   * Resolves when `isDone` is true, which it is asked now and at each change of an object that is followed, and rejects with what it throws.
   * False after the milliseconds.
   */
  async until(isDone: () => boolean, milliseconds: number, timers: Timers): Promise<boolean> {
    if (isDone()) return true;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#watchers.delete(look);
        this.signal.removeEventListener("abort", giveUp);
        cancel();
        settle();
      };
      const giveUp = (): void => end(() => resolve(false));
      const look = (): void => {
        try {
          if (isDone()) end(() => resolve(true));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const cancel = timers.start(milliseconds, giveUp);
      this.signal.addEventListener("abort", giveUp, { once: true });
      this.#watchers.add(look);
    });
  }

  #start(apiVersion: string, kind: string): { readonly synced: Promise<void>; isSynced: boolean } {
    const informer = this.informers.of<string, string>(apiVersion, kind);
    const resource = RESOURCES[kind];
    if (resource !== undefined) {
      const changed = (action: number, before: unknown, after: unknown): void => {
        this.onChange({ resource, action }, before, after);
        for (const look of this.#watchers) look();
      };
      informer.addHandler({
        added: (object) => changed(Action.add, undefined, object),
        updated: (before, after) => changed(Action.other, before, after),
        deleted: (object) => changed(Action.delete, object, undefined),
      });
    }
    this.informers.start(this.signal);
    const started = { synced: Promise.resolve(), isSynced: false };
    started.synced = stopsWith(this.signal, informer.synced).then(() => {
      started.isSynced = true;
    });
    return started;
  }
}

/** An informer that is stopped before its first list never is current. */
function stopsWith(signal: AbortSignal, synced: Promise<void>): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = (): void => resolve();
    signal.addEventListener("abort", stop, { once: true });
    void synced.then(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
  });
}
