import { type DeletedInfo, waitUntilAllGone, type WaitForAllOptions } from "../actions/wait/wait-until-all-gone.js";
import { silentExit } from "./errors.js";

export interface WaitForDeletionOptions extends WaitForAllOptions {
  /** See {@link Invocation.handleSignals}. */
  readonly handleSignals: () => void;
}

/** Waits until all of them are gone. Once it watches, a signal ends it without a word and with code 1, as it ends kubectl. */
export async function waitForDeletion(deleted: readonly DeletedInfo[], options: WaitForDeletionOptions): Promise<void> {
  let watches = false;
  const onWatch = (): void => {
    watches = true;
    options.handleSignals();
  };
  try {
    await waitUntilAllGone(deleted, { ...options, onWatch });
  } catch (error) {
    throw watches && options.signal.aborted ? silentExit() : error;
  }
}
