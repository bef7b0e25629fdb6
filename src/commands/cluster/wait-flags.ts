import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { LiveLines } from "../../cli/terminal/live-lines.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** The flag --timeout, for commands with --wait. */
export const timeoutFlag: FlagSpec = {
  name: "timeout",
  type: "duration",
  default: "5m0s",
  usage:
    "How long --wait waits at most; with 0 it looks once. What needs a change from outside to become ready (no node takes it, an image or a key is missing, a container crashes again and again) is given 30 seconds.",
};

/**
 * The value of {@link timeoutFlag} in milliseconds; undefined without --wait. Warns about a timeout that has no effect. Throws a
 * usage error for one below 0.
 */
export function waitOf(invocation: Invocation, warn: (text: string) => void): number | undefined {
  const { flags } = invocation;
  const timeout = flags.duration("timeout");
  if (timeout < 0)
    throw usageError(invocation, "invalid value for --timeout: use a duration such as 5m, or 0 to look once");
  if (flags.bool("wait")) return timeout;
  if (flags.changed("timeout")) warn("--timeout has no effect without --wait");
  return undefined;
}

/** Shows a wait on a terminal: its progress in a line that is rewritten, and what is not ready in lines that stay. */
export const shownBy = (lines: LiveLines | undefined, name: string, say: (line: string) => void) => ({
  onProgress: (state: string): void => lines?.set(name, state),
  say(line: string): void {
    lines?.clear();
    say(line);
  },
});
