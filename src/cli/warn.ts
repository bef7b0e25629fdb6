import { wantsColour } from "./colour.js";
import type { Factory, Streams } from "./factory.js";

/** A command's own warnings, in yellow where a person reads. */
export const warnTo =
  ({ err }: Streams, env: Factory["env"]) =>
  (message: string): void => {
    const colour = wantsColour(err, env);
    err.write(colour ? `\u001b[33;1mWarning:\u001b[0m ${message}\n` : `Warning: ${message}\n`);
  };
