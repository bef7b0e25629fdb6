import type { Status } from "../../../../machinery/errors/status-error.js";
import type { StoredEvent, StoredObject, WatchEventType } from "../../../storage/store.js";
import { recentFrames } from "../recent-frames.js";
import { bookmarkMetadata, type FrameWriter, type View } from "../serializer.js";
import { jsonBytes } from "./json-text.js";
import { type Shaper, shaper } from "./shapes.js";
import { placeOf, versionText } from "./splice.js";

/** What a line has beside its object: `{"type":"MODIFIED","object":`, a resourceVersion, `}` and a newline. */
const ROOM = 96;
const NOTHING = Buffer.alloc(0);

/** Collects lines of a watch. Copying them is most of a busy server's work, so each line is copied at most once. */
export class LineChunk {
  readonly #parts: Uint8Array[] = [];
  /** The buffer that stored objects are written into. */
  #open: Buffer = NOTHING;
  #used = 0;
  #length = 0;

  /** `capacity` is about the number of bytes that the caller takes at a time. */
  constructor(private readonly capacity: number) {}

  get length(): number {
    return this.#length;
  }

  /**
   * Adds the line of an object in its stored version. Returns false, without adding anything, when its bytes are not canonical. `following`
   * is the number of such lines before the next {@link take}.
   */
  addStored(type: WatchEventType, stored: StoredObject, following: number): boolean {
    const { bytes, revision } = stored;
    const place = placeOf(stored);
    if (place === undefined) return false;
    this.#reserve(bytes.length + ROOM, following);
    const part = this.#open;
    const start = this.#used;
    let at = start + part.write(`{"type":"${type}","object":`, start, "latin1");
    // All of it where its end belongs, then its beginning to the front: views of parts cost more than moving bytes.
    const version = versionText(revision);
    part.set(bytes, at + version.length);
    part.copyWithin(at, at + version.length, at + version.length + place);
    part.write(version, at + place, "latin1");
    at += bytes.length + version.length;
    part[at++] = 0x7d;
    part[at++] = 0x0a;
    this.#length += at - start;
    this.#used = at;
    return true;
  }

  /** Adds a ready-made line, which the caller must not change any more. */
  add(line: Uint8Array): void {
    this.#seal();
    this.#parts.push(line);
    this.#length += line.length;
  }

  /** Removes and returns the lines added since the last call. */
  take(): Uint8Array {
    this.#seal();
    const parts = this.#parts.splice(0);
    const [only] = parts;
    const taken = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, this.#length);
    this.#length = 0;
    return taken;
  }

  #seal(): void {
    if (this.#used > 0) this.#parts.push(this.#open.subarray(0, this.#used));
    this.#open = NOTHING;
    this.#used = 0;
  }

  #reserve(more: number, following: number): void {
    if (this.#used + more <= this.#open.length) return;
    this.#seal();
    this.#open = Buffer.allocUnsafe(Math.min((following + 1) * more, this.capacity + more));
  }
}

/** Frames each event of a watch as a line of JSON. */
export class JsonFrames implements FrameWriter {
  readonly #chunk: LineChunk;
  readonly #shape: Shaper;
  /** True when an event's bytes are the stored bytes with the resourceVersion put in. */
  readonly #isStored: boolean;
  #first = true;

  constructor(
    private readonly view: View,
    capacity: number,
  ) {
    this.#chunk = new LineChunk(capacity);
    this.#shape = shaper(view);
    this.#isStored = view.format.shape === "object" && view.resource.codec.isStored;
  }

  get length(): number {
    return this.#chunk.length;
  }

  addEvent(event: StoredEvent, following: number, isShared: boolean): void {
    const stored = this.#isStored && !isShared ? event.object : undefined;
    if (stored === undefined || !this.#chunk.addStored(event.type, stored, following)) {
      this.#chunk.add(this.#line(event));
    }
    this.#first = false;
  }

  addError(status: Status): void {
    this.#chunk.add(line("ERROR", jsonBytes(status)));
  }

  take(): Uint8Array {
    return this.#chunk.take();
  }

  #line(event: StoredEvent): Uint8Array {
    const { type, object } = event;
    const { resource, format } = this.view;
    if (object === undefined) return line(type, this.#shape.bookmark(bookmarkMetadata(event), this.#first));
    // Ages in a table are as of when it is sent.
    if (format.shape === "Table") return line(type, this.#shape.one(object, this.#first));
    return recentFrames.get(object, { resource, type, format }, () => line(type, this.#shape.one(object)));
  }
}

function line(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, END]);
}

const END = Buffer.from("}\n");
