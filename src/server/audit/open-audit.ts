import type { Random } from "../../base/numbers/random.js";
import type { Clock } from "../../base/time/clock.js";
import { stopwatchOf, type Timers } from "../../base/time/timers.js";
import type { Environment } from "../../client/surroundings.js";
import type { FamilyDefinition } from "../../machinery/metrics/family.js";
import type { ProcessHosts } from "../../client/transport/dial.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import type { RunTimed } from "../../machinery/tracing/request-span.js";
import type { Measuring } from "../metrics/measures.js";
import type { RequestAuditing } from "../request/request-audit.js";
import { requestAuditing } from "./audit-filter.js";
import type { AuditLogOptions, AuditOptions, AuditWebhookOptions, BackendOptions } from "./audit-options.js";
import {
  type AuditBackend,
  AuditCounts,
  functionBackend,
  ignoringErrors,
  type ReportLost,
  reportLost,
  unionOf,
} from "./backends/audit-backend.js";
import { BatchingBackend, type BatchLimits } from "./backends/batching.js";
import { logBackend } from "./backends/log-backend.js";
import { openLogFile } from "./backends/log-file.js";
import { openStandardOutput } from "./backends/standard-output.js";
import { truncating } from "./backends/truncating.js";
import { openWebhookBackend } from "./backends/webhook-backend.js";
import { checkPolicy, readPolicyFile } from "./policy/audit-policy.js";
import { PolicyRules } from "./policy/policy-rules.js";

/** The parts of the process that the audit log uses. */
export interface AuditSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly env: Environment;
  /** Hosts of this process, and what connects to the webhook. */
  readonly hosts: ProcessHosts | undefined;
  readonly report: (error: unknown) => void;
  readonly warn: (text: string) => void;
  /** Runs the calls of the webhook. Default: nothing measures them. */
  readonly timed?: RunTimed | undefined;
}

/** The audit log of a server. */
export interface OpenedAudit {
  readonly auditing: RequestAuditing;
  readonly counts: AuditCounts;
  /** Shows the counts among the metrics of a server. */
  measure(measuring: Measuring): void;
  /** Sends what waits. Call it when no request is under way any more. */
  close(): Promise<void>;
}

/**
 * Opens what the options name: reads the policy, opens the log's file, reads the webhook's kubeconfig. Undefined where no request would be recorded.
 * Rejects in kube-apiserver's words, with nothing left open.
 */
export async function openAudit(
  options: AuditOptions,
  surroundings: AuditSurroundings,
): Promise<OpenedAudit | undefined> {
  const { policy, log, webhook, backends: functions = [] } = options;
  const { clock, timers, report, warn } = surroundings;
  const checked = typeof policy === "string" ? readPolicyFile(policy, warn) : policy && checkPolicy(policy);
  const counts = new AuditCounts();
  const lost = reportLost(counts, report);
  const backends: AuditBackend[] = [];
  const unused = [
    ...(log?.path === undefined ? [] : ["log"]),
    ...(webhook?.configFile === undefined ? [] : ["webhook"]),
  ];
  if (checked === undefined) for (const name of unused) warn(nothingRecorded(name));
  try {
    if (log?.path !== undefined) backends.push(await openLog(log, log.path, surroundings, lost));
    if (checked !== undefined && webhook?.configFile !== undefined) {
      backends.push(await openWebhook(webhook, webhook.configFile, surroundings, lost));
    }
    backends.push(...functions.map((receive) => functionBackend(receive, lost)));
  } catch (error) {
    await unionOf(backends).close();
    throw error;
  }
  const sink = unionOf(backends);
  if (checked === undefined || backends.length === 0) {
    await sink.close();
    return undefined;
  }
  const now = (): number => clock.now();
  const rules = new PolicyRules(checked);
  return {
    auditing: requestAuditing({ rules, sink, counts, now, stopwatch: stopwatchOf(timers) }),
    counts,
    measure: (measuring) =>
      measuring.addSource((table) => {
        table.onRead(() => showCounts(table, counts));
        table.onReset(() => counts.clear());
      }),
    close: () => sink.close(),
  };
}

const METRICS = {
  events: {
    name: "apiserver_audit_event_total",
    type: "counter",
    help: "Counter of audit events generated and sent to the audit backend.",
    stability: "ALPHA",
  },
  rejected: {
    name: "apiserver_audit_requests_rejected_total",
    type: "counter",
    help: "Counter of apiserver requests rejected due to an error in audit logging backend.",
    stability: "ALPHA",
  },
  levels: {
    name: "apiserver_audit_level_total",
    type: "counter",
    help: "Counter of policy levels for audit events (1 per request).",
    labels: ["level"],
    stability: "ALPHA",
  },
  errors: {
    name: "apiserver_audit_error_total",
    type: "counter",
    help: "Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.",
    labels: ["plugin"],
    stability: "ALPHA",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;

function showCounts(table: MetricTable, { events, rejected, levels, errors }: AuditCounts): void {
  const [total, refused] = [table.family(METRICS.events), table.family(METRICS.rejected)];
  total.set(total.series(), events);
  refused.set(refused.series(), rejected);
  const [byLevel, byPlugin] = [table.family(METRICS.levels), table.family(METRICS.errors)];
  for (const [level, count] of levels) byLevel.set(byLevel.series(level), count);
  for (const [plugin, count] of errors) byPlugin.set(byPlugin.series(plugin), count);
}

/** kube-apiserver's words. */
const nothingRecorded = (backend: string): string =>
  `No audit policy file provided, no events will be recorded for ${backend} backend`;

const MEGABYTE = 1024 * 1024;

async function openLog(
  options: AuditLogOptions,
  path: string,
  surroundings: AuditSurroundings,
  lost: ReportLost,
): Promise<AuditBackend> {
  const { format = "json", maxSize = 100, maxAge = 366, maxBackups = 100, compress = false } = options;
  const file = { path, maxSize: maxSize * MEGABYTE, maxAge, maxBackups, compress };
  const sink = path === "-" ? openStandardOutput(surroundings.timers) : await openLogFile(file, surroundings);
  const written = logBackend(sink, format, lost);
  // Batches of a log gain nothing.
  const batch: BatchLimits = { ...batchOf(options, { maxSize: 1, maxWait: 0 }), concurrency: 1 };
  return truncated(inMode(written, options.mode ?? "blocking", batch, surroundings, lost), options, lost);
}

/** As many calls of a webhook may be under way in the mode "batch". */
const CALLS = 32;

async function openWebhook(
  options: AuditWebhookOptions,
  configFile: string,
  surroundings: AuditSurroundings,
  lost: ReportLost,
): Promise<AuditBackend> {
  const { initialBackoff = 10_000 } = options;
  const sent = await openWebhookBackend({ ...surroundings, configFile, initialBackoff, lost });
  const throttle = { throttleEnable: true, throttleQps: 10, throttleBurst: 15 };
  const batch: BatchLimits = {
    ...batchOf(options, { maxSize: 400, maxWait: 30_000, ...throttle }),
    concurrency: CALLS,
  };
  return truncated(inMode(sent, options.mode ?? "batch", batch, surroundings, lost), options, lost);
}

function batchOf({ batch }: BackendOptions, defaults: NonNullable<BackendOptions["batch"]>) {
  const { bufferSize = 10_000, maxSize = 1, maxWait = 0, ...rest } = { ...defaults, ...batch };
  const { throttleEnable: isThrottled = false, throttleQps: qps = 0, throttleBurst: burst = 0 } = rest;
  return { bufferSize, maxSize, maxWait, throttle: isThrottled ? { qps, burst } : undefined };
}

function inMode(
  backend: AuditBackend,
  mode: string,
  batch: BatchLimits,
  surroundings: AuditSurroundings,
  lost: ReportLost,
): AuditBackend {
  if (mode === "blocking-strict") return backend;
  if (mode === "blocking") return ignoringErrors(backend);
  return new BatchingBackend(backend, batch, { ...surroundings, lost });
}

function truncated(backend: AuditBackend, { truncate = {} }: BackendOptions, lost: ReportLost): AuditBackend {
  const { enabled = false, maxEventSize = 102_400, maxBatchSize = 10_485_760 } = truncate;
  return enabled ? truncating(backend, { maxEventSize, maxBatchSize }, lost) : backend;
}
