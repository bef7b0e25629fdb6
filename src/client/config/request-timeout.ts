import { parseGoDuration } from "../../base/text/go-literals.js";

/** Parses --request-timeout, whole seconds or a Go duration, into milliseconds. "" and "0" are no limit. */
export function parseRequestTimeout(text: string): number {
  if (text === "") return 0;
  if (/^\+?\d+$/.test(text)) return Number(text) * 1000;
  const duration = parseGoDuration(text);
  if (duration !== undefined) return duration;
  throw new Error(
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
  );
}
