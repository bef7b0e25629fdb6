import type { StoredEvent, StoredObject } from "../../storage/store.js";

export interface WatchRules {
  /** Whether the user may see an object. Undefined where users see all of them. */
  readonly sees: ((object: StoredObject) => boolean | Promise<boolean>) | undefined;
  /** The objects that a watch which begins without a state may know already. */
  readonly known: () => Promise<readonly StoredObject[]>;
  /** Why the source can no longer be followed; undefined as long as it can, and when the client has ended the watch. */
  readonly failure: () => unknown;
}

/** Passes on the events of a watch that the user may see, and throws when the source can no longer be watched. */
export async function* watchVisible(
  events: AsyncIterable<readonly StoredEvent[]>,
  { sees, known, failure }: WatchRules,
): AsyncGenerator<readonly StoredEvent[]> {
  if (sees === undefined) yield* events;
  else yield* visibleEvents(events, sees, known);
  const reason = failure();
  if (reason !== undefined) throw reason;
}

async function* visibleEvents(
  events: AsyncIterable<readonly StoredEvent[]>,
  sees: NonNullable<WatchRules["sees"]>,
  known: WatchRules["known"],
): AsyncGenerator<readonly StoredEvent[]> {
  /** The keys of the objects that the client has. */
  const shown = new Set<string>();
  for (const object of await known()) if (await sees(object)) shown.add(object.key);
  for await (const batch of events) {
    const visible: StoredEvent[] = [];
    for (const event of batch) {
      const seen = event.object === undefined ? event : await seenEvent(event, event.object, shown, sees);
      if (seen !== undefined) visible.push(seen);
    }
    if (visible.length > 0) yield visible;
  }
}

async function seenEvent(
  event: StoredEvent,
  object: StoredObject,
  shown: Set<string>,
  sees: NonNullable<WatchRules["sees"]>,
): Promise<StoredEvent | undefined> {
  const { key } = object;
  if (event.type !== "DELETED" && (await sees(object))) {
    const isKnown = shown.has(key);
    shown.add(key);
    return event.type === "ADDED" || isKnown ? event : { ...event, type: "ADDED" };
  }
  return shown.delete(key) ? { ...event, type: "DELETED" } : undefined;
}
