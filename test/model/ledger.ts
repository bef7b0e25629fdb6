import { type Content, type History, must, type Version } from "./model.js";

/** What became of a write, as its writer was told. */
type Outcome =
  | { readonly kind: "acknowledged"; readonly revision: number }
  /** Refused, overtaken or a dry run: it must have left nothing. */
  | { readonly kind: "failed" }
  /** The store went away before it answered: the write may be there or not. */
  | { readonly kind: "unknown" };

interface Write {
  readonly key: string;
  outcome: Outcome | undefined;
  /** Where the history has it. */
  event: Version | undefined;
}

/** Holds what writers were told against the history: every acknowledged write is there once, every other event has its cause. */
export class Ledger {
  readonly #writes = new Map<string, Write>();
  /** Deletions in the history whose cause is not known yet, by revision. */
  readonly #deletions = new Map<number, Version>();
  readonly #acknowledged: { readonly key: string; readonly revision: number; readonly of: number }[] = [];
  /** Keys with deletions nobody was told the end of. */
  #unknown: string[] = [];
  #next = 1;

  /** Before a write is tried: its name, which goes into the content. */
  begin(key: string): string {
    const name = `w${this.#next++}`;
    this.#writes.set(name, { key, outcome: undefined, event: undefined });
    return name;
  }

  end(name: string, outcome: Outcome): void {
    const write = this.#writes.get(name);
    if (write !== undefined) write.outcome = outcome;
  }

  /** A deletion of the version `of` was acknowledged at `revision`. */
  deleted(key: string, revision: number, of: number): void {
    this.#acknowledged.push({ key, revision, of });
  }

  mayBeDeleted(key: string): void {
    this.#unknown.push(key);
  }

  /** An event of the history. */
  take(version: Version): void {
    const { key, revision, content } = version;
    if (content === undefined) {
      this.#deletions.set(revision, version);
      return;
    }
    const write = this.#writes.get(content.write);
    must(write?.key === key, () => `event ${revision} of ${key}: no write under way has the content ${content.write}`);
    must(
      write.event === undefined,
      () => `write ${content.write} to ${key} happened twice, the second time at ${revision}`,
    );
    write.event = version;
  }

  /** Call it when nothing is under way and the history is complete. `now` decides which objects may have expired. */
  settle(now: number): void {
    for (const [name, { key, outcome, event }] of this.#writes) {
      const about = (): string => `write ${name} to ${key}`;
      must(outcome !== undefined, () => `${about()} was never answered`);
      if (outcome.kind === "acknowledged") {
        must(
          event?.revision === outcome.revision,
          () =>
            `${about()}, acknowledged at ${outcome.revision}, ${event === undefined ? "is lost" : `is at ${event.revision}`}`,
        );
      }
      if (outcome.kind === "failed") must(event === undefined, () => `${about()} failed, but is at ${event?.revision}`);
    }
    this.#writes.clear();
    for (const { key, revision, of } of this.#acknowledged.splice(0)) {
      const version = this.#deletions.get(revision);
      must(
        version?.key === key && version.before?.revision === of,
        () => `the deletion of ${key}@${of}, acknowledged at ${revision}, is not there, or was acknowledged twice`,
      );
      this.#deletions.delete(revision);
    }
    for (const [revision, { key, before }] of this.#deletions) {
      const cause = this.#unknown.indexOf(key);
      if (cause >= 0) this.#unknown.splice(cause, 1);
      else must(hasExpired(before?.content, now), () => `nobody deleted ${key} at ${revision}`);
    }
    this.#deletions.clear();
    this.#unknown = [];
  }
}

/** Whether an object that had to go by now is still there. */
export function overdue(history: History, now: number): Version | undefined {
  for (const key of history.keys) {
    const version = history.latest(key);
    if (hasExpired(version?.content, now)) return version;
  }
  return undefined;
}

function hasExpired(content: Content | undefined, now: number): boolean {
  return content?.expires !== undefined && content.expires <= now;
}
