import { errorMessage } from "../../base/text/error-message.js";
import type { Factory } from "../connect/factory.js";

/*
 * Lines for a person whose command has found nothing and has written so: no error is thrown then. They go to stderr, where that is a
 * terminal.
 */

/** Says so where the namespace in force does not exist. */
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

/** Tells the error for which nothing was shown, which kubectl drops. */
export async function hintAtDropped(error: unknown, factory: Factory, signal: AbortSignal): Promise<void> {
  const { err } = factory.streams;
  if (err.isTTY !== true) return;
  const { adviceOn } = await import("./advice.js");
  const advice = await adviceOn(error, factory, signal);
  err.write(`Nothing is shown: ${errorMessage(error)}\n${advice === undefined ? "" : `${advice}\n`}`);
}
