import { type DeletedInfo, waitUntilAllGone, type WaitForAllOptions } from "../actions/wait-until-all-gone.js";
import { silentExit } from "./errors.js";

export interface WaitForDeletionOptions extends WaitForAllOptions {
  /** See {@link Invocation.handleSignals}. */
  readonly handleSignals: () => void;
}

/** Waits until all of them are gone. A signal ends it without a word and with code 1, as it ends kubectl while that waits. */
export async function waitForDeletion(deleted: readonly DeletedInfo[], options: WaitForDeletionOptions): Promise<void> {
  options.handleSignals();
  try {
    await waitUntilAllGone(deleted, options);
  } catch (error) {
    throw options.signal.aborted ? silentExit() : error;
  }
}
