import type { KeyValue, ListOptions } from "../kv.js";
import type { DataDirectoryProblem } from "./data-directory-error.js";

/** What the worker is started with. */
export interface WorkerSettings {
  readonly directory: string;
  /** Shown as the owner of the directory to others who want it. */
  readonly processId: number;
  /** Where the `libsql` package was found, as a URL; used when the runtime has no SQLite of its own. */
  readonly libsql: string | undefined;
  /** The database does not grow beyond this. */
  readonly maxBytes: number | undefined;
}

/** The worker's first message. */
export type Greeting =
  | { readonly kind: "opened"; readonly revision: number; readonly expiring: readonly ExpiringKey[] }
  | { readonly kind: "refused"; readonly problem: DataDirectoryProblem; readonly message: string };

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
  /** All of them in one commit: when that fails, the call fails and none of them happened. */
  write: { readonly ask: readonly WriteRequest[]; readonly answer: readonly WriteResult[] };
  get: { readonly ask: string; readonly answer: { readonly kv: KeyValue | undefined; readonly revision: number } };
  list: {
    readonly ask: { readonly prefix: string; readonly options: ListOptions };
    readonly answer:
      | {
          readonly kind: "listed";
          readonly items: readonly KeyValue[];
          readonly revision: number;
          readonly remaining: number;
        }
      | { readonly kind: "compacted"; readonly compacted: number }
      | { readonly kind: "future"; readonly current: number };
  };
  count: { readonly ask: string; readonly answer: number };
  events: {
    readonly ask: { readonly after: number; readonly limit: number };
    readonly answer:
      | { readonly kind: "events"; readonly events: readonly HistoryEvent[] }
      | { readonly kind: "compacted"; readonly compacted: number };
  };
  compact: { readonly ask: number; readonly answer: number };
  close: { readonly ask: undefined; readonly answer: undefined };
}

export interface HistoryEvent {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  readonly revision: number;
  readonly value: Uint8Array | undefined;
  readonly previous: KeyValue | undefined;
}

export type CallName = keyof Calls;

/** Any request, as it crosses the thread boundary. */
export type Request = {
  [N in CallName]: { readonly id: number; readonly name: N; readonly ask: Calls[N]["ask"] };
}[CallName];

export type Response =
  | { readonly id: number; readonly answer: Calls[CallName]["answer"] }
  | { readonly id: number; readonly failure: string };
