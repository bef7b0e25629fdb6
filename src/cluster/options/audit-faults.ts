import { goQuote } from "../../base/text/go-quote.js";
import type { AuditLogOptions, AuditOptions, BackendOptions } from "../../server/audit/audit-options.js";

const MODES = ["batch", "blocking", "blocking-strict"];
const FORMATS = ["legacy", "json"];
const VERSION = "audit.k8s.io/v1";

/** Finds the faults of the options for the audit log and its webhook, of those that are on, in kube-apiserver's words. */
export function auditFaults({ log = {}, webhook = {} }: AuditOptions): readonly string[] {
  return [
    ...(log.path === undefined ? [] : [...backendFaults(log, "log"), ...fileFaults(log)]),
    ...(webhook.configFile === undefined ? [] : backendFaults(webhook, "webhook")),
  ];
}

function backendFaults(options: BackendOptions & Pick<AuditLogOptions, "version">, name: string): readonly string[] {
  const { version = VERSION, truncate = {} } = options;
  const { maxEventSize: event = 102_400, maxBatchSize: size = 10_485_760 } = truncate;
  const faults: string[] = [];
  const batch = batchFault(options, name);
  if (batch !== undefined) faults.push(batch);
  if (event <= 0) {
    faults.push(`invalid audit truncate ${name} max event size ${event}, must be a positive number`);
  } else if (size < event) {
    faults.push(
      `invalid audit truncate ${name} max batch size ${size}, must be greater than max event size (${event})`,
    );
  }
  if (version !== VERSION) faults.push(`invalid group version, allowed versions are [${goQuote(VERSION)}]`);
  return faults;
}

/** The first fault of how events are sent in batches. */
function batchFault(options: BackendOptions, name: string): string | undefined {
  const isWebhook = name === "webhook";
  const { mode = isWebhook ? "batch" : "blocking", batch = {} } = options;
  if (!MODES.includes(mode)) {
    return `invalid audit ${name} mode ${mode}, allowed modes are ${goQuote(MODES.join(","))}`;
  }
  if (mode !== "batch") return undefined;
  const isThrottled = batch.throttleEnable ?? isWebhook;
  const rows = [
    ["buffer size", batch.bufferSize ?? 1, true],
    ["max batch size", batch.maxSize ?? 1, true],
    ["throttle QPS", batch.throttleQps ?? (isWebhook ? 1 : 0), isThrottled],
    ["throttle burst", batch.throttleBurst ?? (isWebhook ? 1 : 0), isThrottled],
  ] as const;
  for (const [what, value, counts] of rows) {
    if (counts && value <= 0) return `invalid audit batch ${name} ${what} ${value}, must be a positive number`;
  }
  return undefined;
}

function fileFaults({ format = "json", maxAge = 0, maxBackups = 0, maxSize = 0 }: AuditLogOptions): readonly string[] {
  const limits = [
    ["audit-log-maxage", maxAge],
    ["audit-log-maxbackup", maxBackups],
    ["audit-log-maxsize", maxSize],
  ] as const;
  return [
    ...(FORMATS.includes(format)
      ? []
      : [`invalid audit log format ${format}, allowed formats are ${goQuote(FORMATS.join(","))}`]),
    ...limits.filter(([, value]) => value < 0).map(([name, value]) => `--${name} ${value} can't be a negative number`),
  ];
}
