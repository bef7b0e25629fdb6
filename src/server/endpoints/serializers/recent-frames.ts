import { Fifo } from "../../../base/fifo.js";
import type { StoredObject, WatchEventType } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import type { ServedResource } from "../served-resource.js";

/** What a line of a watch depends on beside the object. */
export interface LineKey {
  readonly resource: ServedResource;
  readonly type: WatchEventType;
  readonly format: Pick<ResponseFormat, "shape" | "metaVersion">;
}

interface Line extends LineKey {
  readonly bytes: Uint8Array;
}

/** The lines of the newest events, so that an event is encoded once for all who watch it. The oldest go first. */
export class RecentLines {
  readonly #lines = new Map<StoredObject, Line[]>();
  /** Whose lines there are, the oldest first. */
  readonly #order = new Fifo<StoredObject>();
  #weight = 0;

  /** `capacity` in bytes. */
  constructor(private readonly capacity: number) {}

  /** The line that was kept, else what `make` answers. */
  get(object: StoredObject, key: LineKey, make: () => Uint8Array): Uint8Array {
    const kept = this.#lines.get(object);
    const same = kept?.find((line) => isSame(line, key));
    if (same !== undefined) return same.bytes;
    const bytes = make();
    const { resource, type, format } = key;
    const line = { resource, type, format, bytes };
    if (kept === undefined) {
      this.#lines.set(object, [line]);
      this.#order.push(object);
    } else kept.push(line);
    this.#weight += bytes.length;
    while (this.#weight > this.capacity && this.#order.length > 0) this.#drop();
    return bytes;
  }

  #drop(): void {
    const oldest = this.#order.shift();
    if (oldest === undefined) return;
    for (const { bytes } of this.#lines.get(oldest) ?? []) this.#weight -= bytes.length;
    this.#lines.delete(oldest);
  }
}

function isSame(a: LineKey, b: LineKey): boolean {
  return (
    a.type === b.type &&
    a.resource === b.resource &&
    a.format.shape === b.format.shape &&
    a.format.metaVersion === b.format.metaVersion
  );
}
