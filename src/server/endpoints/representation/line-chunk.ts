import type { StoredObject, WatchEventType } from "../../storage/store.js";
import { itemStart, versionPlace, versionText } from "./splice.js";

/** What a line has beside its object: `{"type":"MODIFIED","object":`, a resourceVersion, `}` and a newline. */
const ROOM = 96;
const NOTHING = Buffer.alloc(0);

/** Lines of a watch on their way out, in one piece of memory: most of a busy server's work is moving them there. */
export class LineChunk {
  #bytes: Buffer = NOTHING;
  #length = 0;

  /** `capacity`: about how many bytes are taken at a time. */
  constructor(private readonly capacity: number) {}

  get length(): number {
    return this.#length;
  }

  /**
   * Adds the line of an object in the version it is stored in. False, having added nothing, when its bytes are not
   * canonical. `following`: how many lines like this one will come before the next {@link take}, at most.
   */
  addStored(type: WatchEventType, { bytes, revision }: StoredObject, following: number): boolean {
    const place = versionPlace(bytes, itemStart(bytes));
    if (place === undefined) return false;
    this.#reserve(bytes.length + ROOM, following);
    const chunk = this.#bytes;
    let at = this.#length;
    at += chunk.write(`{"type":"${type}","object":`, at, "latin1");
    // All of it where its end belongs, then its beginning to the front: views of parts cost more than moving bytes.
    const version = versionText(revision);
    chunk.set(bytes, at + version.length);
    chunk.copyWithin(at, at + version.length, at + version.length + place);
    chunk.write(version, at + place, "latin1");
    at += bytes.length + version.length;
    chunk[at++] = 0x7d;
    chunk[at++] = 0x0a;
    this.#length = at;
    return true;
  }

  add(line: Uint8Array): void {
    this.#reserve(line.length, 0);
    this.#bytes.set(line, this.#length);
    this.#length += line.length;
  }

  /** What was added since the last time. The caller's own. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return taken;
  }

  #reserve(more: number, following: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const expected = Math.min(needed + following * more, this.capacity + more);
    const grown = Buffer.allocUnsafe(Math.max(needed, expected));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
