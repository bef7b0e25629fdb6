import type { Answer } from "../../../helpers/api-caller.js";
import type { KvStorageOptions } from "../../../../src/server/storage/create-storage.js";

/**
 * One rule of lists and watches: steps that are taken in order against one API server. Texts may hold `{name}`, the
 * revision that the object of that name got when it was created, `{name:2}` that of its second write (a deletion is
 * one), `{now}` the store's current revision, each with `+1` or `-1` behind the name; `{ns}`, the namespace that every
 * row has to itself; and `{continue}`, the token of the last list.
 */
export interface Row {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Set for a row that needs a server to itself, because of its options, its time or its cluster-scoped objects. */
  readonly own?: OwnServer | undefined;
}

export interface OwnServer extends Pick<KvStorageOptions, "historyBytes" | "historySeconds" | "compactionSeconds"> {
  /** How long an Event object lives; what kube-apiserver takes by --event-ttl. */
  readonly eventTtlSeconds?: number;
}

/** Where a row runs. */
export interface Mode {
  readonly backend: "memory" | "sqlite" | "etcd" | "files" | "postgres";
  readonly cache: boolean;
}

export type Step =
  | WriteStep
  | RequestStep
  | WatchStep
  | EventsStep
  | { readonly do: "pass"; readonly milliseconds: number }
  | { readonly do: "compact"; readonly revision: string };

export interface WriteStep {
  readonly do: "write";
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** "configmaps/a", below the row's namespace, or a whole path. */
  readonly path: string;
  readonly body?: unknown;
  /** Whose revision it is; absent for a write that makes none. */
  readonly mark?: string;
}

export interface RequestStep {
  readonly do: "request";
  readonly method: "GET" | "DELETE" | "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time that passes while the request waits. */
  readonly passing?: number;
  readonly expected: Outcome | ByMode<Outcome>;
}

export interface WatchStep {
  readonly do: "watch";
  readonly path: string;
  /** For rows with several watches. */
  readonly name?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly passing?: number;
}

export interface EventsStep {
  readonly do: "events";
  /** The name of a watch; absent: the last one. */
  readonly of?: string;
  /**
   * All its events since its start or the last such step: "ADDED a@{a}", "BOOKMARK @{now} end"; "*" for a
   * name that the server chose.
   */
  readonly expected: readonly ExpectedEvent[] | ByMode<readonly ExpectedEvent[]>;
  /** Nothing comes after them: the stream is over. */
  readonly end: boolean | { readonly cached: boolean; readonly direct: boolean };
}

export type ExpectedEvent = string | { readonly event: string; readonly object: unknown };

/** What differs with and without the watch cache, and why. */
export interface ByMode<T> {
  readonly because: string;
  readonly cached: T;
  readonly direct: T;
}

export type Outcome = ListOutcome | RefusalOutcome | BodyOutcome | ((answer: Answer) => void);

export interface ListOutcome {
  /** Names, "namespace/name" in a list over namespaces. */
  readonly items: readonly string[];
  /** The list's resourceVersion; absent: any that the store has given. */
  readonly at?: string;
  /** What the token says: the last name, and the revision of the list. Absent: there must be none. */
  readonly next?: { readonly after: string; readonly at: string };
  readonly remaining?: number;
}

/** A Status, exactly but for its fixed fields. */
export interface RefusalOutcome {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: unknown;
  /** Where the token of the refusal goes on. */
  readonly next?: { readonly after: string; readonly at: string };
}

export interface BodyOutcome {
  readonly status?: number;
  /** What the body must hold at least. */
  readonly body: unknown;
}

export const row = (name: string, ...steps: readonly Step[]): Row => ({ name, steps });

export const ownRow = (name: string, own: OwnServer, ...steps: readonly Step[]): Row => ({ name, steps, own });
