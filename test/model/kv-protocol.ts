import {
  ClosedError,
  CompactedError,
  FutureRevisionError,
  KeyExistsError,
  type KeyValue,
  type Kv,
  RevisionMismatchError,
  type WatchBatch,
} from "../../src/server/storage/kv.js";

/** What the process that uses a store says to the one that owns it. */
export type ParentMessage =
  | { readonly kind: "call"; readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: "watch"; readonly id: number; readonly prefix: string; readonly from: number }
  | { readonly kind: "unwatch"; readonly id: number }
  | { readonly kind: "time"; readonly now: number };

export type ChildMessage =
  | ({ readonly kind: "ready" } & OwnersKv)
  | { readonly kind: "batch"; readonly id: number; readonly batch: WatchBatch }
  /** To a call, or the end of a watch. */
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly error: PackedError };

/** What the store of the owner is, and which of the optional methods it lacks. */
export interface OwnersKv {
  readonly freshness: Kv["freshness"];
  readonly lacks: readonly string[];
}

/** The methods of {@link Kv} that a store may lack. */
export const OPTIONAL_METHODS = [
  "requestProgress",
  "recent",
  "expiring",
  "restore",
  "isOutdated",
  "size",
  "outsideEdits",
] as const satisfies readonly (keyof Kv)[];

/** An error with the fields that {@link unpackError} needs to make it again. */
export interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function packError(error: unknown): PackedError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, message, fields: { ...(error as Record<string, unknown>) } };
}

export function unpackError({ name, message, fields }: PackedError): Error {
  switch (name) {
    case "KeyExistsError":
      return new KeyExistsError(String(fields["key"]));
    case "RevisionMismatchError":
      return new RevisionMismatchError(String(fields["key"]), fields["current"] as KeyValue | undefined);
    case "CompactedError":
      return new CompactedError(Number(fields["requested"]), Number(fields["compacted"]));
    case "FutureRevisionError":
      return new FutureRevisionError(Number(fields["requested"]), Number(fields["current"]));
    case "ClosedError":
      return new ClosedError();
    default:
      return new Error(message);
  }
}
