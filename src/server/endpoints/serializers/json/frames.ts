import type { Status } from "../../../../machinery/errors/status-error.js";
import type { StoredEvent } from "../../../storage/store.js";
import { recentFrames } from "../recent-frames.js";
import { bookmarkMetadata, type FrameWriter, type View } from "../serializer.js";
import { jsonBytes } from "./json-text.js";
import { LineChunk } from "./line-chunk.js";
import { type Shaper, shaper } from "./shapes.js";

/** Each event of a watch as a line of JSON. */
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
    this.#isStored = view.format.shape === "object" && view.resource.codec.isHub;
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
