import {
  ClosedError,
  CompactedError,
  FutureRevisionError,
  KeyExistsError,
  RevisionMismatchError,
  UnavailableError,
} from "../storage/kv.js";
import type { StoreFailure } from "./protocol.js";

/** An error of the storage seam as it crosses to another thread. */
export function storeFailure(error: unknown): StoreFailure {
  if (error instanceof KeyExistsError) return { name: error.name, key: error.key };
  if (error instanceof RevisionMismatchError) return { name: error.name, key: error.key, current: error.current };
  if (error instanceof CompactedError) {
    return { name: error.name, requested: error.requested, compacted: error.compacted };
  }
  if (error instanceof FutureRevisionError) {
    return { name: error.name, requested: error.requested, current: error.current };
  }
  if (error instanceof UnavailableError) {
    return { name: "UnavailableError", message: error.message, outcome: error.outcome };
  }
  if (error instanceof ClosedError) return { name: error.name };
  return { name: "Error", message: error instanceof Error ? error.message : String(error) };
}

/** The error that {@link storeFailure} was made of. */
export function storeError(failure: StoreFailure): Error {
  switch (failure.name) {
    case "KeyExistsError":
      return new KeyExistsError(failure.key);
    case "RevisionMismatchError":
      return new RevisionMismatchError(failure.key, failure.current);
    case "CompactedError":
      return new CompactedError(failure.requested, failure.compacted);
    case "FutureRevisionError":
      return new FutureRevisionError(failure.requested, failure.current);
    case "UnavailableError":
      return new UnavailableError(failure.message, failure.outcome);
    case "ClosedError":
      return new ClosedError();
    case "Error":
      return new Error(failure.message);
  }
}
