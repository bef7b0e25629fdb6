import type { FlagSection } from "../component-flag.js";
import { quantityFault } from "./values.js";

const ONE_STREAM = "the log is one stream of text on stderr";

/** `-v` and `--vmodule`, which every component has, are added to these. */
export const logsSection: FlagSection = {
  name: "logs",
  flags: [
    {
      name: "log-flush-frequency",
      type: "duration",
      default: "5s",
      usage: "How long lines of the log may wait to be written.",
      withoutEffect: "every line is written at once",
    },
    {
      name: "log-json-info-buffer-size",
      type: "string",
      typeName: "quantity",
      default: "0",
      check: quantityFault,
      usage: "How many bytes of a log in JSON may wait to be written.",
      withoutEffect: ONE_STREAM,
    },
    {
      name: "log-json-split-stream",
      type: "bool",
      usage: "Write errors of a log in JSON to stderr and the rest to stdout.",
      withoutEffect: ONE_STREAM,
    },
    {
      name: "log-text-info-buffer-size",
      type: "string",
      typeName: "quantity",
      default: "0",
      check: quantityFault,
      usage: "How many bytes of the log may wait to be written.",
      withoutEffect: ONE_STREAM,
    },
    {
      name: "log-text-split-stream",
      type: "bool",
      usage: "Write errors of the log to stderr and the rest to stdout.",
      withoutEffect: ONE_STREAM,
    },
    {
      name: "logging-format",
      type: "string",
      default: "text",
      usage: "The form of the log: text.",
      refused: "the log is text",
    },
  ],
};
