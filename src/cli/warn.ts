import type { Colours } from "./terminal/colour.js";
import type { Streams } from "./connect/factory.js";

/** "Warning:", in yellow where a person reads. */
export function warningHead(err: Streams["err"], colours: Colours): string {
  if (!colours.on(err)) return "Warning:";
  return `${colours.code(err, "\u001b[33;1m")}Warning:${colours.code(err, "\u001b[0m")}`;
}

/** A command's own warnings, in yellow where a person reads. */
export const warnTo =
  ({ err }: Streams, colours: Colours) =>
  (message: string): void => {
    err.write(`${warningHead(err, colours)} ${message}\n`);
  };
