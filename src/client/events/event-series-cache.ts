import type { Clock } from "../../base/time/clock.js";
import { Lru } from "../../base/collections/lru.js";
import { formatMicroTime } from "../../machinery/meta/time.js";
import { keyOf, type ActionEvent } from "./event-objects.js";

interface Member {
  /** With the series as it is now, not as it was written. */
  readonly event: ActionEvent;
  /** The last time it happened, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The count that was handed out to be written. */
  readonly handedOut: number;
}

const CACHE_SIZE = 4096;
/** A series that did not go on for this long is over. */
const FINISH_MS = 6 * 60_000;

/**
 * Makes series of events that happen again, as client-go's tools/events does: the first is written as it is, the second starts
 * a series, and later ones are counted here. The count is written from time to time, and when the series is over.
 */
export class EventSeriesCache {
  readonly #members = new Lru<string, Member>(CACHE_SIZE);

  constructor(private readonly clock: Clock) {}

  /** The event to write for one that happened; undefined for one that is counted only. */
  happened(event: ActionEvent): ActionEvent | undefined {
    const key = seriesKey(event);
    const at = this.clock.now();
    const known = this.#members.get(key);
    if (known === undefined) {
      this.#members.set(key, { event, at, handedOut: 1 });
      return event;
    }
    const count = (known.event.series?.count ?? 1) + 1;
    const going = { ...known.event, series: { count, lastObservedTime: formatMicroTime(at) } };
    const isStart = known.event.series === undefined;
    this.#members.set(key, { event: going, at, handedOut: isStart ? count : known.handedOut });
    return isStart ? going : undefined;
  }

  /** All series, to be written so that the server does not forget them. */
  going(): ActionEvent[] {
    return this.#handOut(({ event }) => event.series !== undefined);
  }

  /** The series with counts that were not written yet. */
  unwritten(): ActionEvent[] {
    return this.#handOut(({ event, handedOut }) => (event.series?.count ?? 1) > handedOut);
  }

  /** Forgets what does not go on, and returns the series among it, to be written for the last time. */
  finish(): ActionEvent[] {
    const over = this.#membersThat(({ at }) => at < this.clock.now() - FINISH_MS);
    for (const [key] of over) this.#members.delete(key);
    return over.map(([, { event }]) => event).filter(({ series }) => series !== undefined);
  }

  #handOut(matches: (member: Member) => boolean): ActionEvent[] {
    return this.#membersThat(matches).map(([key, { event, at }]) => {
      this.#members.set(key, { event, at, handedOut: event.series?.count ?? 1 });
      return event;
    });
  }

  #membersThat(matches: (member: Member) => boolean): [string, Member][] {
    return [...this.#members.entries()].filter(([, member]) => matches(member));
  }
}

function seriesKey(event: ActionEvent): string {
  const { type, action, reason, reportingController, reportingInstance, regarding, related } = event;
  const objects = [JSON.stringify(regarding), JSON.stringify(related)];
  return keyOf(type, action, reason, reportingController, reportingInstance, ...objects);
}
