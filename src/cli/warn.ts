import type { Colours } from "./colour.js";
import type { Streams } from "./factory.js";

/** A command's own warnings, in yellow where a person reads. */
export const warnTo =
  ({ err }: Streams, colours: Colours) =>
  (message: string): void => {
    err.write(colours.on(err) ? `\u001b[33;1mWarning:\u001b[0m ${message}\n` : `Warning: ${message}\n`);
  };
