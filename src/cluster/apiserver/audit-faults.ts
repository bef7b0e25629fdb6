import { goQuote } from "../../base/text/go-quote.js";
import type { Flags } from "../../component/flags/flag-set.js";

const MODES = ["batch", "blocking", "blocking-strict"];
const FORMATS = ["legacy", "json"];
const VERSION = "audit.k8s.io/v1";

/** Returns what is wrong with the flags of the audit log and its webhook, of those that are on, in kube-apiserver's words. */
export function auditFaults(flags: Flags): readonly string[] {
  return [
    ...(flags.string("audit-log-path") === "" ? [] : [...backendFaults(flags, "log"), ...fileFaults(flags)]),
    ...(flags.string("audit-webhook-config-file") === "" ? [] : backendFaults(flags, "webhook")),
  ];
}

function backendFaults(flags: Flags, backend: "log" | "webhook"): readonly string[] {
  const number = (name: string): number => flags.number(`audit-${backend}-${name}`);
  const faults: string[] = [];
  const batch = batchFault(flags, backend);
  if (batch !== undefined) faults.push(batch);
  const [event, size] = [number("truncate-max-event-size"), number("truncate-max-batch-size")];
  if (event <= 0) {
    faults.push(`invalid audit truncate ${backend} max event size ${event}, must be a positive number`);
  } else if (size < event) {
    faults.push(
      `invalid audit truncate ${backend} max batch size ${size}, must be greater than max event size (${event})`,
    );
  }
  if (flags.string(`audit-${backend}-version`) !== VERSION) {
    faults.push(`invalid group version, allowed versions are [${goQuote(VERSION)}]`);
  }
  return faults;
}

/** The first fault of how events are sent in batches. */
function batchFault(flags: Flags, backend: "log" | "webhook"): string | undefined {
  const mode = flags.string(`audit-${backend}-mode`);
  if (!MODES.includes(mode)) {
    return `invalid audit ${backend} mode ${mode}, allowed modes are ${goQuote(MODES.join(","))}`;
  }
  if (mode !== "batch") return undefined;
  const isThrottled = flags.bool(`audit-${backend}-batch-throttle-enable`);
  const rows = [
    ["buffer size", "buffer-size", true],
    ["max batch size", "max-size", true],
    ["throttle QPS", "throttle-qps", isThrottled],
    ["throttle burst", "throttle-burst", isThrottled],
  ] as const;
  for (const [what, name, counts] of rows) {
    const value = flags.number(`audit-${backend}-batch-${name}`);
    if (counts && value <= 0) return `invalid audit batch ${backend} ${what} ${value}, must be a positive number`;
  }
  return undefined;
}

function fileFaults(flags: Flags): readonly string[] {
  const format = flags.string("audit-log-format");
  const limits = ["audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize"];
  return [
    ...(FORMATS.includes(format)
      ? []
      : [`invalid audit log format ${format}, allowed formats are ${goQuote(FORMATS.join(","))}`]),
    ...limits
      .filter((name) => flags.number(name) < 0)
      .map((name) => `--${name} ${flags.number(name)} can't be a negative number`),
  ];
}
