import { errorMessage } from "../../base/text/error-message.js";

/** A value or a storage that cannot be read. The message tells the user what is wrong, where, and what to do. */
export class StoredError extends Error {
  override readonly name = "StoredError";
}

/** Errors of storages, whose messages are for users. Any other error is a fault of the program. */
const NAMES: ReadonlySet<string> = new Set([
  "StorageError",
  "DataDirectoryError",
  "NamedClusterError",
  "CompactedError",
  "StatusError",
  "UnavailableError",
]);

/** Runs `work`; errors of a storage become a {@link StoredError} with the same message. */
export async function withStoredErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isTold = error instanceof Error && (NAMES.has(error.name) || "status" in error);
    throw isTold ? new StoredError(errorMessage(error), { cause: error }) : error;
  }
}
