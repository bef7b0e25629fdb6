import { goDurationText } from "../../client/rest/go-duration-text.js";
import { wholeValue } from "../../machinery/text/quantity/quantity.js";
import { quantityFault } from "../apiserver-flags/values.js";
import type { FlagSection } from "../component-flag.js";
import type { Flags } from "../flags/flag-set.js";
import { jsonLine, type LogFormat, textLine } from "./log-entry.js";

const FORMATS: ReadonlyMap<string, LogFormat> = new Map([
  ["text", textLine],
  ["json", jsonLine],
]);

/** The flags of component-base's logs. `-v` and `--vmodule`, which every component has, are added to these. */
export const logsSection: FlagSection = {
  name: "logs",
  flags: [
    {
      name: "log-flush-frequency",
      type: "duration",
      default: "5s",
      usage: "How long lines of the log may wait to be written, where they are buffered.",
    },
    ...["json", "text"].flatMap(
      (format) =>
        [
          {
            name: `log-${format}-info-buffer-size`,
            type: "string",
            typeName: "quantity",
            default: "0",
            check: quantityFault,
            usage: `How many bytes of a log in ${format} with two streams may wait to be written, errors apart. It needs the feature gate LoggingAlphaOptions.`,
          },
          {
            name: `log-${format}-split-stream`,
            type: "bool",
            usage: `Write errors of a log in ${format} to stderr and the rest to stdout. It needs the feature gate LoggingAlphaOptions.`,
          },
        ] as const,
    ),
    {
      name: "logging-format",
      type: "string",
      default: "text",
      usage: 'The form of the log: "json" (a JSON object a line) or "text" (klog\'s lines).',
    },
  ],
};

export interface LoggingOptions {
  readonly format: LogFormat;
  readonly splits: boolean;
  readonly bufferBytes: number;
  /** In milliseconds. */
  readonly flushFrequency: number;
}

/** kube's limit of a buffer: 2 GiB. */
const MOST_BYTES = 2 ** 31;

/** Reads the flags, which {@link loggingFaults} has validated. */
export function readLogging(flags: Flags): LoggingOptions {
  const format = flags.string("logging-format");
  const size = wholeValue(flags.string(`log-${format}-info-buffer-size`));
  return {
    format: FORMATS.get(format) ?? textLine,
    splits: flags.bool(`log-${format}-split-stream`),
    bufferBytes: Math.min(Math.max(0, size), MOST_BYTES),
    flushFrequency: flags.duration("log-flush-frequency"),
  };
}

/** Finds the faults of the flags, in component-base's words. `changed` are the feature gates that differ from their default, as "NAME=true". */
export function loggingFaults(flags: Flags, changed: readonly string[]): readonly string[] {
  const faults: string[] = [];
  const format = flags.string("logging-format");
  const frequency = flags.duration("log-flush-frequency");
  if (frequency <= 0) {
    faults.push(`flushFrequency: Invalid value: "${goDurationText(frequency)}": Must be greater than zero`);
  }
  if (!FORMATS.has(format)) {
    faults.push(`format: Invalid value: ${JSON.stringify(format)}: Unsupported log format`);
  } else if (format === "json" && changed.includes("LoggingBetaOptions=false")) {
    faults.push("format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature");
  }
  if (format !== "text" && flags.string("vmodule") !== "") {
    faults.push("vmodule: Forbidden: Only supported for text log format");
  }
  if (changed.includes("LoggingAlphaOptions=true")) return faults;
  for (const one of ["text", "json"]) {
    const disabled = "Forbidden: Feature LoggingAlphaOptions is disabled";
    if (flags.bool(`log-${one}-split-stream`)) faults.push(`options.${one}.splitStream: ${disabled}`);
    const isBuffered = wholeValue(flags.string(`log-${one}-info-buffer-size`)) !== 0;
    if (isBuffered) faults.push(`options.${one}.infoBufferSize: ${disabled}`);
  }
  return faults;
}
