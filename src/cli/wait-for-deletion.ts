import { type DeletedInfo, waitUntilAllGone, type WaitForAllOptions } from "../actions/wait/wait-until-gone.js";
import { silentExit } from "./errors.js";

export interface WaitForDeletionOptions extends WaitForAllOptions {
  /** See {@link Invocation.handleSignals}. */
  readonly handleSignals: () => void;
}

/** Waits until all objects are deleted. From the first watch on, a signal ends the command silently with code 1, as it ends kubectl. */
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
