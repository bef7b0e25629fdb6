import { Fifo } from "../../../base/collections/fifo.js";
import type { StoredObject, WatchEventType } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import type { ServedResource } from "../served-resource.js";

/** What a frame of a watch depends on beside the object. */
export interface FrameKey {
  readonly resource: ServedResource;
  readonly type: WatchEventType;
  readonly format: Pick<ResponseFormat, "mediaType" | "shape" | "metaVersion">;
}

interface Frame extends FrameKey {
  readonly bytes: Uint8Array;
}

/** The frames of the newest events, so that an event is encoded once for all who watch it. The oldest go first. */
export class RecentFrames {
  readonly #frames = new Map<StoredObject, Frame[]>();
  /** The objects that have frames, the oldest first. */
  readonly #order = new Fifo<StoredObject>();
  /** The resources whose removal is awaited. */
  readonly #awaited = new WeakSet<ServedResource>();
  #weight = 0;

  /** `capacity` in bytes. */
  constructor(private readonly capacity: number) {}

  /** The frame that was kept, else what `make` answers. */
  get(object: StoredObject, key: FrameKey, make: () => Uint8Array): Uint8Array {
    const kept = this.#frames.get(object);
    const same = kept?.find((frame) => isSame(frame, key));
    if (same !== undefined) return same.bytes;
    const bytes = make();
    const { resource, type, format } = key;
    if (resource.removed.aborted) return bytes;
    this.#awaitRemoval(resource);
    const frame = { resource, type, format, bytes };
    if (kept === undefined) {
      this.#frames.set(object, [frame]);
      this.#order.push(object);
    } else kept.push(frame);
    this.#weight += bytes.length;
    while (this.#weight > this.capacity && this.#order.length > 0) this.#drop();
    return bytes;
  }

  /** A frame holds its resource, which would outlive its removal. */
  #awaitRemoval(resource: ServedResource): void {
    if (this.#awaited.has(resource)) return;
    this.#awaited.add(resource);
    resource.removed.addEventListener("abort", () => this.#forget(resource), { once: true });
  }

  #forget(resource: ServedResource): void {
    for (const [object, frames] of this.#frames) {
      const rest = frames.filter((frame) => frame.resource !== resource);
      if (rest.length === frames.length) continue;
      for (const { resource: of, bytes } of frames) if (of === resource) this.#weight -= bytes.length;
      // What has no frames any more leaves the order when its turn comes.
      if (rest.length === 0) this.#frames.delete(object);
      else this.#frames.set(object, rest);
    }
  }

  #drop(): void {
    const oldest = this.#order.shift();
    if (oldest === undefined) return;
    for (const { bytes } of this.#frames.get(oldest) ?? []) this.#weight -= bytes.length;
    this.#frames.delete(oldest);
  }
}

function isSame(a: FrameKey, b: FrameKey): boolean {
  return (
    a.type === b.type &&
    a.resource === b.resource &&
    a.format.mediaType === b.format.mediaType &&
    a.format.shape === b.format.shape &&
    a.format.metaVersion === b.format.metaVersion
  );
}

/** Shared by all watches of the process. */
export const recentFrames = new RecentFrames(2 * 1024 * 1024);
