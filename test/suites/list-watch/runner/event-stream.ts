import type { Transport, TransportResponse } from "../../../../src/client/transport/transport.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { PATIENCE } from "../../../helpers/patience.js";

export interface SeenEvent {
  readonly type: string;
  readonly object: KubeObject & Readonly<Record<string, unknown>>;
}

/** A watch under way and what it has told. */
export class EventStream {
  readonly #events: SeenEvent[] = [];
  readonly #leave = new AbortController();
  readonly #reading: Promise<void>;
  #taken = 0;
  #ended = false;
  #changed: () => void = () => {};

  private constructor(readonly response: TransportResponse) {
    this.#reading = this.#read();
  }

  /** Resolves when the answer has begun. */
  static async open(api: Transport, path: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    return new EventStream(await api.send({ method: "GET", path, headers }));
  }

  /** The next `count` events, or fewer when no more come; with `end` all that come until the stream is over. */
  async take(count: number, end: boolean): Promise<{ events: readonly SeenEvent[]; ended: boolean }> {
    const deadline = Date.now() + PATIENCE;
    const enough = () => (end ? this.#ended : this.#ended || this.#events.length - this.#taken >= count);
    while (!enough() && Date.now() < deadline) await this.#change(deadline - Date.now());
    // What should not come gets its chance.
    if (!end) for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    const events = this.#events.slice(this.#taken);
    this.#taken = this.#events.length;
    return { events, ended: this.#ended };
  }

  async close(): Promise<void> {
    this.#leave.abort();
    await this.#reading;
  }

  async #read(): Promise<void> {
    const gone = new Promise<undefined>((resolve) => {
      this.#leave.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const chunks = this.response.body[Symbol.asyncIterator]();
    let text = "";
    for (;;) {
      const next = await Promise.race([chunks.next(), gone]);
      if (next === undefined) {
        void chunks.return?.();
        return;
      }
      if (next.done === true) break;
      text += Buffer.from(next.value).toString("utf8");
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) this.#events.push(JSON.parse(line) as SeenEvent);
      this.#changed();
    }
    this.#ended = true;
    this.#changed();
  }

  #change(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#changed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
