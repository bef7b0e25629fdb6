import type { KeyValue, Restored } from "../kv.js";
import type { DataDirectoryProblem } from "./data-directory-error.js";

/** The worker's settings. */
export interface WorkerSettings {
  readonly directory: string;
  /** Written to the directory, so that other processes can name its owner. */
  readonly processId: number;
  /** The URL of the `libsql` package; used when Node has no SQLite of its own. */
  readonly libsql: string | undefined;
  /** The size limit of the database. */
  readonly maxBytes: number | undefined;
  /** The location of the worker's own code. */
  readonly location: string;
  /** Checks and compacts the store instead of serving it. The worker's only message is then a {@link CheckReport}. */
  readonly check: boolean;
}

/** The settings of a worker that verifies a database and answers with the verdict. */
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
      /** The last of the acknowledged revisions that were lost; undefined when none were. */
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

/** `previous` is the key's value before the write; with "mismatch", its current value. */
export type WriteResult =
  | { readonly kind: "written"; readonly revision: number; readonly previous: KeyValue | undefined }
  | { readonly kind: "exists" }
  | { readonly kind: "mismatch"; readonly current: KeyValue | undefined };

/** The worker's calls with their answers. It serves requests in order. */
export interface Calls {
  /**
   * Executes all requests in one commit, together with writes that arrived during the previous commit. When it fails, all
   * these calls fail and none of the writes took effect.
   */
  write: { readonly ask: readonly WriteRequest[]; readonly answer: readonly WriteResult[] };
  get: { readonly ask: string; readonly answer: { readonly kv: KeyValue | undefined; readonly revision: number } };
  /** Returns some of the keys in [`from`, `end`), in order. The size is limited so that writers wait little. */
  page: { readonly ask: PageRequest; readonly answer: Page | NoSuchRevision };
  /** Counts some of the keys in [`from`, `end`). `last` is the key where it stopped, undefined at the end. */
  count: {
    readonly ask: { readonly from: string; readonly end: string; readonly revision: number | undefined };
    readonly answer:
      | { readonly count: number; readonly last: string | undefined; readonly revision: number }
      | NoSuchRevision;
  };
  /** Returns some of the events after a revision; none when there are none. */
  events: { readonly ask: number; readonly answer: EventPage | NoSuchRevision };
  recent: { readonly ask: { readonly revisions: number; readonly bytes: number }; readonly answer: number };
  compact: { readonly ask: number; readonly answer: number };
  expiring: { readonly ask: undefined; readonly answer: readonly ExpiringKey[] };
  /** Commits it as a whole, or fails. */
  restore: { readonly ask: Restored; readonly answer: undefined };
  /** Fails while writes cannot succeed. After a failed commit it first tries to recover. */
  check: { readonly ask: undefined; readonly answer: undefined };
  close: { readonly ask: undefined; readonly answer: undefined };
}

export type NoSuchRevision =
  | { readonly kind: "compacted"; readonly compacted: number }
  | { readonly kind: "future"; readonly current: number };

export interface PageRequest {
  readonly from: string;
  readonly end: string;
  /** undefined: the current revision. */
  readonly revision: number | undefined;
  /** Infinity: as many as fit a page. */
  readonly limit: number;
}

export interface Page {
  readonly kind: "page";
  readonly items: readonly Omit<KeyValue, "value">[];
  /** The values of the items, in order. */
  readonly values: PackedValues;
  readonly revision: number;
  /** More keys may follow. */
  readonly more: boolean;
}

export interface EventPage {
  readonly kind: "events";
  readonly events: readonly HistoryEvent[];
  /** The values of the events that are no deletes, in order. */
  readonly values: PackedValues;
  /** The previous values of the events that have one, in order. */
  readonly previousValues: PackedValues;
}

export interface HistoryEvent {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  readonly revision: number;
  readonly previous: { readonly createRevision: number; readonly revision: number } | undefined;
}

export type CallName = keyof Calls;

/** A request as a message to the worker. */
export type Request = {
  [N in CallName]: { readonly id: number; readonly name: N; readonly ask: Calls[N]["ask"] };
}[CallName];

export type Response =
  | { readonly id: number; readonly answer: Calls[CallName]["answer"] }
  | { readonly id: number; readonly failure: Failure };

export interface Failure {
  readonly message: string;
  /** The problem of the data directory, if the call failed with a DataDirectoryError. */
  readonly problem: DataDirectoryProblem | undefined;
}

/** Values packed into a few buffers, which can be transferred to another thread without copying. */
export interface PackedValues {
  /** Every value lies whole in one slab. */
  readonly slabs: readonly Uint8Array<ArrayBuffer>[];
  /** The length of each value, in order. */
  readonly lengths: readonly number[];
}

/**
 * The size of a slab; a larger value gets its own. A buffer per value would cost several hundred bytes each. A slab stays in
 * memory as long as one of its values does.
 */
const SLAB = 64 * 1024;

export function packValues(values: readonly Uint8Array[]): PackedValues {
  const slabs: Uint8Array<ArrayBuffer>[] = [];
  let first = 0;
  let bytes = 0;
  const fill = (end: number): void => {
    if (bytes === 0) return;
    const slab = new Uint8Array(bytes);
    let offset = 0;
    for (const value of values.slice(first, end)) {
      slab.set(value, offset);
      offset += value.byteLength;
    }
    slabs.push(slab);
    [first, bytes] = [end, 0];
  };
  for (const [index, { byteLength }] of values.entries()) {
    if (bytes + byteLength > SLAB) fill(index);
    bytes += byteLength;
  }
  fill(values.length);
  return { slabs, lengths: values.map(({ byteLength }) => byteLength) };
}

/** Unpacks the values as views of their slabs. */
export function unpackValues({ slabs, lengths }: PackedValues): readonly Uint8Array[] {
  let at = 0;
  let offset = 0;
  return lengths.map((length) => {
    if (length > 0 && offset === slabs[at]?.byteLength) [at, offset] = [at + 1, 0];
    const start = offset;
    offset += length;
    return slabs[at]?.subarray(start, offset) ?? new Uint8Array();
  });
}
