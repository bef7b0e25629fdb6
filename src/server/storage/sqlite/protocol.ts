import type { KeyValue } from "../kv.js";
import type { DataDirectoryProblem } from "./data-directory-error.js";
import type { PackedValues } from "./packed-values.js";

/** What the worker is started with. */
export interface WorkerSettings {
  readonly directory: string;
  /** Shown as the owner of the directory to others who want it. */
  readonly processId: number;
  /** Where the `libsql` package was found, as a URL; used when the runtime has no SQLite of its own. */
  readonly libsql: string | undefined;
  /** The database does not grow beyond this. */
  readonly maxBytes: number | undefined;
  /** Where the worker's own code is. */
  readonly location: string;
  /** Check and compact the store instead of serving it; the one message is a {@link CheckReport} then. */
  readonly check: boolean;
}

/** What a worker is started with that only inspects a database, and answers with its verdict. */
export interface InspectSettings {
  readonly inspect: string;
  readonly libsql: string | undefined;
}

/** The worker's first message. */
export type Greeting =
  | { readonly kind: "opened"; readonly revision: number; readonly expiring: readonly ExpiringKey[] }
  | Refusal;

export interface Refusal {
  readonly kind: "refused";
  readonly problem: DataDirectoryProblem;
  readonly message: string;
}

export type CheckReport =
  | {
      readonly kind: "checked";
      readonly objects: number;
      readonly revision: number;
      /** Acknowledged writes were lost up to this revision, when some were. */
      readonly lost: number | undefined;
      readonly bytesBefore: number;
      readonly bytesAfter: number;
    }
  | Refusal;

export interface ExpiringKey {
  readonly key: string;
  readonly revision: number;
  readonly at: number;
}

export type WriteRequest =
  | { readonly type: "create"; readonly key: string; readonly value: Uint8Array; readonly expiresAt?: number }
  | {
      readonly type: "update";
      readonly key: string;
      readonly value: Uint8Array;
      readonly expected: number;
      readonly expiresAt?: number;
    }
  | { readonly type: "delete"; readonly key: string; readonly expected: number };

/** `previous` is what the key held before; with "mismatch" it is what the key holds now. */
export type WriteResult =
  | { readonly kind: "written"; readonly revision: number; readonly previous: KeyValue | undefined }
  | { readonly kind: "exists" }
  | { readonly kind: "mismatch"; readonly current: KeyValue | undefined };

/** What the worker can be asked, with its answer. Requests are served one after the other, in order. */
export interface Calls {
  /**
   * All of them in one commit, together with the writes that came before and after them while another commit was in
   * flight: when it fails, all these calls fail and nothing of them happened.
   */
  write: { readonly ask: readonly WriteRequest[]; readonly answer: readonly WriteResult[] };
  get: { readonly ask: string; readonly answer: { readonly kv: KeyValue | undefined; readonly revision: number } };
  /** Some of the keys in [`from`, `end`), in order: not more than a writer can wait for. */
  page: { readonly ask: PageRequest; readonly answer: Page | NoSuchRevision };
  /** Counts some of the keys in [`from`, `end`); `last` is where it stopped, undefined when it saw them all. */
  count: {
    readonly ask: { readonly from: string; readonly end: string; readonly revision: number | undefined };
    readonly answer:
      | { readonly count: number; readonly last: string | undefined; readonly revision: number }
      | NoSuchRevision;
  };
  /** Some of the events after a revision; none when there are none. */
  events: { readonly ask: number; readonly answer: EventPage | NoSuchRevision };
  compact: { readonly ask: number; readonly answer: number };
  /** Fails when writes cannot be served. After a commit that failed it first tries to put that right. */
  check: { readonly ask: undefined; readonly answer: undefined };
  close: { readonly ask: undefined; readonly answer: undefined };
}

export type NoSuchRevision =
  | { readonly kind: "compacted"; readonly compacted: number }
  | { readonly kind: "future"; readonly current: number };

export interface PageRequest {
  readonly from: string;
  readonly end: string;
  /** undefined: now. */
  readonly revision: number | undefined;
  /** Infinity: as many as fit a page. */
  readonly limit: number;
}

export interface Page {
  readonly kind: "page";
  readonly items: readonly Omit<KeyValue, "value">[];
  /** Of the items, in order. */
  readonly values: PackedValues;
  readonly revision: number;
  /** More keys may follow. */
  readonly more: boolean;
}

export interface EventPage {
  readonly kind: "events";
  readonly events: readonly HistoryEvent[];
  /** Of the events that are no deletions, in order. */
  readonly values: PackedValues;
  /** Of the events that have `previous`, in order. */
  readonly previousValues: PackedValues;
}

export interface HistoryEvent {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  readonly revision: number;
  readonly previous: { readonly createRevision: number; readonly revision: number } | undefined;
}

export type CallName = keyof Calls;

/** Any request, as it crosses the thread boundary. */
export type Request = {
  [N in CallName]: { readonly id: number; readonly name: N; readonly ask: Calls[N]["ask"] };
}[CallName];

export type Response =
  | { readonly id: number; readonly answer: Calls[CallName]["answer"] }
  | { readonly id: number; readonly failure: Failure };

export interface Failure {
  readonly message: string;
  /** What is wrong with the data directory, when that is what failed. */
  readonly problem: DataDirectoryProblem | undefined;
}
