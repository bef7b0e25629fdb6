import type { Branch } from "../../cli/object-tree/branches.js";
import { uidOf } from "../../cli/object-tree/summary.js";
import { object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** A line of a container's log. */
export interface LogLine {
  readonly pod: string;
  readonly container: string;
  readonly text: string;
}

/** Beyond these the oldest are forgotten: a screen shows the last of them. */
const EVENTS_KEPT = 2000;
const LINES_KEPT = 500;

/** The current state of an object and of the objects that belong to it. Calls `changed` after each change. */
export class Watched {
  /** Empty while the object is not there. */
  tree: readonly Branch[] = [];
  /** Why the server cannot be asked now; "" while it answers. */
  problem = "";
  /** How far the object is from what is waited for; "" where nothing is. */
  awaited = "";
  /** What cannot be looked at, each with its reason. */
  readonly notes = new Set<string>();
  /** How many lines of logs there were so far. */
  lineCount = 0;
  readonly #changed: () => void;
  #uids: ReadonlySet<string> = new Set();
  readonly #allEvents = new Map<string, KubeObject>();
  #events: readonly KubeObject[] | undefined;
  readonly #lines: LogLine[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  set(change: Partial<Pick<Watched, "tree" | "problem" | "awaited">>): void {
    Object.assign(this, change);
    if (change.tree !== undefined) {
      this.#uids = new Set(change.tree.map((branch) => uidOf(branch.object)));
      this.#events = undefined;
    }
    this.#changed();
  }

  note(note: string): void {
    if (this.notes.has(note)) return;
    this.notes.add(note);
    this.#changed();
  }

  /** Whether an object in the tree has this uid. */
  holds(uid: string): boolean {
    return this.#uids.has(uid);
  }

  takeEvent(event: KubeObject, deleted: boolean): void {
    const { uid = "" } = event.metadata ?? {};
    // The newest are the last.
    this.#allEvents.delete(uid);
    if (!deleted) this.#allEvents.set(uid, event);
    const [oldest] = this.#allEvents.keys();
    if (this.#allEvents.size > EVENTS_KEPT && oldest !== undefined) this.#allEvents.delete(oldest);
    if (!this.holds(subjectOf(event))) return;
    this.#events = undefined;
    this.#changed();
  }

  addLine(line: LogLine): void {
    this.lineCount += 1;
    this.#lines.push(line);
    if (this.#lines.length > 2 * LINES_KEPT) this.#lines.splice(0, LINES_KEPT);
    this.#changed();
  }

  /** Those about objects in the tree, the oldest first. The same array until one of them changes. */
  get events(): readonly KubeObject[] {
    this.#events ??= [...this.#allEvents.values()]
      .filter((event) => this.holds(subjectOf(event)))
      .sort((a, b) => seen(a) - seen(b));
    return this.#events;
  }

  /** The last `count` lines of logs, in the order they came; fewer where there are no more. */
  lastLines(count: number): readonly LogLine[] {
    return this.#lines.slice(Math.max(0, this.#lines.length - count));
  }
}

/** The uid of the object that an event is about. */
export const subjectOf = (event: KubeObject): string => text(object(event.involvedObject).uid);

/** When an event was seen last, in milliseconds; one without a time is older than any. */
function seen({ metadata, series, lastTimestamp, eventTime }: KubeObject): number {
  const time = text(object(series).lastObservedTime) || text(lastTimestamp) || text(eventTime);
  return Date.parse(time || text(metadata?.creationTimestamp)) || 0;
}
