import { errorMessage } from "../../base/text/error-message.js";
import type { Mistyped } from "../../base/text/mistyped.js";
import type { Factory } from "../connect/factory.js";

/*
 * Lines for a person whose command has found nothing and has written so, or has warned of it: no error is thrown then. They go to
 * stderr, where that is a terminal.
 */

/** Suggests the known word that was probably meant by one that a warning named. */
export async function hintAtMistyped({ typed, known }: Mistyped, { streams: { err } }: Factory): Promise<void> {
  if (err.isTTY !== true) return;
  const { didYouMean, nearest } = await import("./suggestions.js");
  const line = didYouMean([nearest(typed, known)]);
  if (line !== undefined) err.write(`${line}\n`);
}

/** Writes a hint when the current namespace does not exist. */
export async function hintAtNamespace(factory: Factory, signal: AbortSignal): Promise<void> {
  const { err } = factory.streams;
  if (err.isTTY !== true) return;
  const [{ adviceOnNamespace }, { withinPatience }] = await Promise.all([
    import("./advice-on-names.js"),
    import("../within-patience.js"),
  ]);
  const line = await withinPatience(signal, () => adviceOnNamespace(factory));
  if (line !== undefined) err.write(`${line}\n`);
}

/** Prints the error that left the output empty, which kubectl drops, with advice on it. */
export async function hintAtDropped(error: unknown, factory: Factory, signal: AbortSignal): Promise<void> {
  const { err } = factory.streams;
  if (err.isTTY !== true) return;
  const { adviceOn } = await import("./advice.js");
  const advice = await adviceOn(error, factory, signal);
  err.write(`Nothing is shown: ${errorMessage(error)}\n${advice === undefined ? "" : `${advice}\n`}`);
}
