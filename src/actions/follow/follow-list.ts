import { setTimeout as pause } from "node:timers/promises";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { Helper } from "../../resource/helper.js";
import { PODS } from "../selected-pods.js";

interface ListSelection {
  /** "" for all, and for kinds without namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** An object after a change; `first` is true for the objects of the initial list. */
export interface FollowedItem {
  readonly object: KubeObject;
  readonly first: boolean;
  readonly deleted: boolean;
}

const BACK_OFF = 1000;
const LONGEST_BACK_OFF = 30_000;

/**
 * Yields the objects that match, and every change of them, until `signal` aborts, when it ends without an error. The first list
 * must succeed; after a watch that ends or breaks it lists again, so that a state may be yielded twice.
 */
export async function* followList(
  client: RestClient,
  mapping: RestMapping,
  { namespace, ...selection }: ListSelection,
  signal: AbortSignal,
): AsyncGenerator<FollowedItem, void> {
  const helper = new Helper(client, mapping, { signal, typed: true });
  let first = true;
  let wait = BACK_OFF;
  while (!signal.aborted) {
    try {
      const list = await helper.list(namespace, selection);
      for (const object of (list.items ?? []) as readonly KubeObject[]) yield { object, first, deleted: false };
      first = false;
      const resourceVersion = list.metadata?.resourceVersion ?? "";
      for await (const { type, object } of await helper.watch(namespace, { ...selection, resourceVersion }, signal)) {
        if (type === "ERROR") break;
        if (type === "BOOKMARK") continue;
        wait = BACK_OFF;
        yield { object, first: false, deleted: type === "DELETED" };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (first || !(error instanceof Error)) throw error;
    }
    await pause(wait, undefined, { signal }).catch(() => undefined);
    wait = Math.min(wait * 2, LONGEST_BACK_OFF);
  }
}

export type PodSelection = ListSelection;

/** A pod after a change; `first` is true for the pods of the initial list. */
export interface FollowedPod {
  readonly pod: KubeObject;
  readonly first: boolean;
  readonly deleted: boolean;
}

/** Yields the pods that match, and every change of them, as {@link followList} does. */
export async function* followPods(
  client: RestClient,
  selection: PodSelection,
  signal: AbortSignal,
): AsyncGenerator<FollowedPod, void> {
  for await (const { object, first, deleted } of followList(client, PODS, selection, signal)) {
    yield { pod: object, first, deleted };
  }
}
