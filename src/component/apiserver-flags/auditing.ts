import type { ComponentFlag } from "../component-flag.js";
import type { Flags } from "../flags/flag-set.js";
import { type Option, type OptionsOf, sectionOf } from "../option-group.js";

export type Row<Type extends string> = Option & { readonly type: Type };
type TextRow = Row<"string">;
type NumberRow = Row<"int">;
type FlagRow = Row<"bool">;

/** The options of one audit backend. It is a type alias, because an interface does not satisfy {@link OptionGroup}. */
export type BackendRows = {
  /** Whether requests wait for the events: "batch", "blocking", or "blocking-strict", which also fails requests whose first event cannot be kept. */
  readonly mode: TextRow;
  /** The version of the events: audit.k8s.io/v1. */
  readonly version: TextRow;
  /** How the mode "batch" collects events. */
  readonly batch: {
    /** How many events wait at most; more are lost. Default 10,000. */
    readonly bufferSize: NumberRow;
    readonly maxSize: NumberRow;
    /** In milliseconds. */
    readonly maxWait: Row<"duration">;
    readonly throttleBurst: NumberRow;
    readonly throttleEnable: FlagRow;
    /** Batches a second. */
    readonly throttleQps: Row<"float64">;
  };
  /** Which events and batches are cut. Sizes are in bytes. */
  readonly truncate: {
    readonly enabled: FlagRow;
    /** Default 10,485,760. */
    readonly maxBatchSize: Row<"int64">;
    /** Default 102,400. */
    readonly maxEventSize: Row<"int64">;
  };
};

export type LogRows = BackendRows & {
  /** The file; "-" is the standard output. */
  readonly path: TextRow & { read(given: string, file: (path: string) => string): string };
  /** "json", or "legacy", a line of text for each event. Default "json". */
  readonly format: TextRow;
  /** How many days old files are kept; 0 is no limit. Default 366. */
  readonly maxAge: NumberRow;
  /** How many old files are kept; 0 is no limit. Default 100. */
  readonly maxBackups: NumberRow;
  /** How many megabytes a file may have; 0 is no limit. Default 100. */
  readonly maxSize: NumberRow;
  /** Whether old files are compressed. Default false. */
  readonly compress: FlagRow;
};

export type WebhookRows = BackendRows & {
  /** A kubeconfig of the server that events are posted to. */
  readonly configFile: TextRow;
  /** The pause before a call is tried again, in milliseconds; later ones are longer. Default 10,000. */
  readonly initialBackoff: Row<"duration">;
};

const backendRows = (name: "log" | "webhook", defaults: Readonly<Record<string, string>>): BackendRows => ({
  mode: {
    name: `audit-${name}-mode`,
    type: "string",
    default: defaults["mode"] ?? "",
    usage: `Whether requests wait for the ${name}: batch, blocking or blocking-strict.`,
  },
  version: {
    name: `audit-${name}-version`,
    type: "string",
    default: "audit.k8s.io/v1",
    usage: `The version of the events of the ${name}.`,
  },
  batch: {
    bufferSize: {
      name: `audit-${name}-batch-buffer-size`,
      type: "int",
      default: "10000",
      usage: `How many events wait for the ${name} in the mode batch.`,
    },
    maxSize: {
      name: `audit-${name}-batch-max-size`,
      type: "int",
      default: defaults["size"] ?? "",
      usage: `How many events are sent to the ${name} at once.`,
    },
    maxWait: {
      name: `audit-${name}-batch-max-wait`,
      type: "duration",
      default: defaults["wait"] ?? "",
      usage: "How long the first event of a batch waits for others.",
    },
    throttleBurst: {
      name: `audit-${name}-batch-throttle-burst`,
      type: "int",
      default: defaults["burst"] ?? "",
      usage: `How many batches may be sent to the ${name} at the same moment.`,
    },
    throttleEnable: {
      name: `audit-${name}-batch-throttle-enable`,
      type: "bool",
      ...(defaults["throttles"] !== undefined && { default: defaults["throttles"] }),
      usage: `Whether batches to the ${name} are limited in number.`,
    },
    throttleQps: {
      name: `audit-${name}-batch-throttle-qps`,
      type: "float64",
      typeName: "float32",
      default: defaults["qps"] ?? "",
      usage: `How many batches a second are sent to the ${name} on average.`,
    },
  },
  truncate: {
    enabled: {
      name: `audit-${name}-truncate-enabled`,
      type: "bool",
      usage: `Whether large events and batches are cut for the ${name}.`,
    },
    maxBatchSize: {
      name: `audit-${name}-truncate-max-batch-size`,
      type: "int64",
      default: "10485760",
      usage: "How many bytes a batch may have.",
    },
    maxEventSize: {
      name: `audit-${name}-truncate-max-event-size`,
      type: "int64",
      default: "102400",
      usage: "How many bytes an event may have.",
    },
  },
});

const logRows: LogRows = {
  path: {
    name: "audit-log-path",
    type: "string",
    usage: "The file of the audit log; - is the standard output.",
    read: (given: string, file: (path: string) => string) => (given === "-" ? given : file(given)),
  },
  format: {
    name: "audit-log-format",
    type: "string",
    default: "json",
    usage: "The form of the log: json, or legacy, a line of text for each event.",
  },
  maxAge: {
    name: "audit-log-maxage",
    type: "int",
    default: "366",
    usage: "How many days old files of the log are kept; 0 is no limit.",
  },
  maxBackups: {
    name: "audit-log-maxbackup",
    type: "int",
    default: "100",
    usage: "How many old files of the log are kept; 0 is no limit.",
  },
  maxSize: {
    name: "audit-log-maxsize",
    type: "int",
    default: "100",
    usage: "How many megabytes a file of the log may have; 0 is no limit.",
  },
  compress: { name: "audit-log-compress", type: "bool", usage: "Whether old files of the log are compressed." },
  ...backendRows("log", { mode: "blocking", size: "1", wait: "0s", burst: "0", qps: "0" }),
};

const webhookRows: WebhookRows = {
  configFile: {
    name: "audit-webhook-config-file",
    type: "string",
    usage: "A kubeconfig of the server that events are sent to.",
    isFile: true,
  },
  initialBackoff: {
    name: "audit-webhook-initial-backoff",
    type: "duration",
    default: "10s",
    usage: "How long the webhook rests before a request is tried again.",
  },
  ...backendRows("webhook", {
    mode: "batch",
    size: "400",
    wait: "30s",
    burst: "15",
    qps: "10",
    throttles: "true",
  }),
};

export type AuditRows = {
  readonly policy: TextRow;
  readonly log: LogRows;
  readonly webhook: WebhookRows;
};

/** The options for which requests are audited, and where. */
export const auditOptions: AuditRows = {
  policy: {
    name: "audit-policy-file",
    type: "string",
    usage: "A file that says which requests are recorded, and how much of them (audit.k8s.io Policy).",
    isFile: true,
  },
  log: logRows,
  webhook: webhookRows,
};

const formerBackoff: ComponentFlag = {
  name: "audit-webhook-batch-initial-backoff",
  type: "duration",
  default: "10s",
  hidden: true,
  deprecated: "Deprecated, use --audit-webhook-initial-backoff instead.",
  usage: "The former name of --audit-webhook-initial-backoff.",
};

export const auditingSection = sectionOf("auditing", auditOptions, [formerBackoff]);

/** Returns the options with the value of the renamed flag --audit-webhook-initial-backoff, if that is given. */
export function withFormerBackoff(
  audit: OptionsOf<typeof auditOptions> | undefined,
  flags: Flags,
): OptionsOf<typeof auditOptions> | undefined {
  const { name } = formerBackoff;
  if (!flags.has(name) || !flags.changed(name)) return audit;
  return { ...audit, webhook: { initialBackoff: flags.duration(name), ...audit?.webhook } };
}
