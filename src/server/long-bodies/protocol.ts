import type { RuntimeConfig } from "../../api/facts/index.js";
import type { StorageMediaType } from "../endpoints/serializers/serializer.js";
import type { User } from "../request/user.js";
import type { Kv, KeyValue } from "../storage/kv.js";

/** What the thread is started with. */
export interface ThreadSettings {
  readonly runtimeConfig: RuntimeConfig;
  /** Stored objects may be of another schema epoch, or of a version that is served no longer. */
  readonly upgrades: boolean;
  /** The scheme holds versions that are served no longer, too. */
  readonly foreign: boolean;
  readonly storageMediaType: StorageMediaType;
  readonly freshness: Kv["freshness"];
  /** The server's time, milliseconds since the epoch. */
  readonly now: number;
}

/** A request whose caller is known by now. */
export interface Task {
  readonly kind: "task";
  readonly id: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly user: User;
  /** The server's time, milliseconds since the epoch. */
  readonly now: number;
  readonly body: Uint8Array;
}

export interface Outcome {
  readonly kind: "outcome";
  readonly id: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/** What the thread asks of the store, which stays where it is. */
export type StoreCalls = Pick<
  Kv,
  "create" | "get" | "list" | "update" | "delete" | "count" | "currentRevision" | "check"
>;

export interface StoreCall {
  readonly kind: "store";
  readonly id: number;
  readonly name: keyof StoreCalls;
  readonly given: readonly unknown[];
}

export type StoreAnswer =
  | { readonly kind: "stored"; readonly id: number; readonly answer: unknown }
  | { readonly kind: "stored"; readonly id: number; readonly failure: StoreFailure };

/** The errors of the storage seam, which lose their class between threads. */
export type StoreFailure =
  | { readonly name: "KeyExistsError"; readonly key: string }
  | { readonly name: "RevisionMismatchError"; readonly key: string; readonly current: KeyValue | undefined }
  | { readonly name: "CompactedError"; readonly requested: number; readonly compacted: number }
  | { readonly name: "FutureRevisionError"; readonly requested: number; readonly current: number }
  | { readonly name: "UnavailableError"; readonly message: string; readonly outcome: "not-done" | "unknown" }
  | { readonly name: "ClosedError" }
  | { readonly name: "Error"; readonly message: string };

/** There is no answer to a task. */
export interface Failed {
  readonly kind: "failed";
  readonly id: number;
  readonly message: string;
}

/** A fault of the server, for whoever is told of those. */
export interface Fault {
  readonly kind: "fault";
  readonly error: unknown;
}

export type FromThread = Outcome | Failed | StoreCall | Fault;
export type ToThread = Task | StoreAnswer;
