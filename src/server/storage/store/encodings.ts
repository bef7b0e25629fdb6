import type { Evictable } from "./second-chance-cache.js";

/** The encodings of one revision of an object. */
export class Encodings implements Evictable {
  residency: Evictable["residency"] = "out";
  readonly bytes = new Map<string, Uint8Array>();

  /** `weight`: how long the stored bytes are, of which an encoding is about as long. */
  constructor(readonly weight: number) {}

  evict(): void {
    this.bytes.clear();
  }
}
