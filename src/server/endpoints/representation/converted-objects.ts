import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ConversionCaller } from "../../../machinery/scheme/scheme.js";
import type { StoredObject } from "../../storage/store.js";

/** Objects of one call of the conversion, at most. */
const BATCH_OBJECTS = 500;

/**
 * Caches the JSON of stored objects in a version that converts later: made once for each revision, and kept as long as the revision is.
 * Requests call {@link prepare} with the objects that they answer, and then encode as for every other version.
 */
export class ConvertedObjects {
  readonly #bytes = new WeakMap<StoredObject, Uint8Array>();
  readonly #underWay = new WeakMap<StoredObject, Promise<void>>();

  /** `convert` keeps the order of its objects. */
  constructor(
    private readonly convert: (
      objects: readonly KubeObject[],
      caller: ConversionCaller | undefined,
    ) => Promise<readonly KubeObject[]>,
    private readonly encode: (object: KubeObject) => Uint8Array,
  ) {}

  /** Returns the JSON of a prepared object, without a newline. */
  get(stored: StoredObject): Uint8Array {
    const bytes = this.#bytes.get(stored);
    if (bytes === undefined) throw new Error(`${stored.key} is encoded before it is converted`);
    return bytes;
  }

  /**
   * Converts the objects that are not converted yet, many in one call. Returns undefined when there is nothing to wait for. It waits for
   * objects that another request is converting, and converts them itself when that request fails or ends before.
   */
  prepare(objects: readonly StoredObject[], caller?: ConversionCaller): Promise<void> | undefined {
    const missing = this.#missingOf(objects);
    return missing.length === 0 ? undefined : this.#prepare(missing, caller);
  }

  async #prepare(missing: readonly StoredObject[], caller: ConversionCaller | undefined): Promise<void> {
    const elsewhere = new Set<Promise<void>>();
    const own: StoredObject[] = [];
    for (const stored of missing) {
      const running = this.#underWay.get(stored);
      if (running === undefined) own.push(stored);
      else elsewhere.add(running);
    }
    await this.#convertBatches(own, caller);
    // The failure of another request's batch is that request's: what it left is converted here once more.
    await Promise.allSettled(elsewhere);
    await this.#convertBatches(this.#missingOf(missing), caller);
  }

  async #convertBatches(objects: readonly StoredObject[], caller: ConversionCaller | undefined): Promise<void> {
    for (let start = 0; start < objects.length; start += BATCH_OBJECTS) {
      const batch = objects.slice(start, start + BATCH_OBJECTS);
      const running = this.#convertBatch(batch, caller);
      for (const stored of batch) this.#underWay.set(stored, running);
      try {
        await running;
      } finally {
        for (const stored of batch) this.#underWay.delete(stored);
      }
    }
  }

  async #convertBatch(batch: readonly StoredObject[], caller: ConversionCaller | undefined): Promise<void> {
    const converted = await this.convert(
      batch.map((stored) => stored.peek()),
      caller,
    );
    for (const [index, stored] of batch.entries()) {
      this.#bytes.set(stored, this.encode(converted[index] ?? {}));
      if (sliceIsSpent()) await nextSlice();
    }
  }

  #missingOf(objects: readonly StoredObject[]): StoredObject[] {
    return [...new Set(objects)].filter((stored) => !this.#bytes.has(stored));
  }
}
