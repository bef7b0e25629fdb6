import { errorMessage } from "../../../base/text/error-message.js";
import type { AuditEvent, AuditFunction } from "../audit-event.js";
import { legacyLine, type RecordedEvent } from "../recorded-event.js";

/** Stores events, or sends them on. */
export interface AuditBackend {
  /** Returns, or resolves to, false where an event was not kept and its request should fail. Never throws or rejects. */
  process(events: readonly RecordedEvent[]): boolean | Promise<boolean>;
  /** Resolves when all events are kept or given up. */
  close(): Promise<void>;
}

/** The audit plugin that failed, by the name under which kube-apiserver counts its errors. */
export type AuditPlugin = "log" | "webhook" | "buffered" | "truncate" | "function";

/** Counts of apiserver_audit_* metrics. */
export class AuditCounts {
  events = 0;
  /** Requests that failed because their first event was not kept. */
  rejected = 0;
  /** Requests by the level of their rule. */
  readonly levels = new Map<string, number>();
  /** Events that were not kept, by what failed. */
  readonly errors = new Map<AuditPlugin, number>();

  level(level: string): void {
    this.levels.set(level, (this.levels.get(level) ?? 0) + 1);
  }

  clear(): void {
    this.events = this.rejected = 0;
    this.levels.clear();
    this.errors.clear();
  }

  error(plugin: AuditPlugin, events: number): void {
    this.errors.set(plugin, (this.errors.get(plugin) ?? 0) + events);
  }
}

/** Called with the events that a plugin has lost, and the reason. */
export type ReportLost = (plugin: AuditPlugin, error: unknown, events: readonly RecordedEvent[]) => void;

/** Makes a function that counts lost events, and reports them in one error with their content, so that the server's own log has them. */
export const reportLost =
  (counts: AuditCounts, report: (error: unknown) => void): ReportLost =>
  (plugin, error, events) => {
    counts.error(plugin, events.length);
    const lines = events.map((event) => `${legacyLine(event)}\n`).join("");
    const reason = `Error in audit plugin '${plugin}' affecting ${events.length} audit events: ${errorMessage(error)}`;
    report(new Error(`${reason}\nImpacted events:\n${lines}`));
  };

/** Makes a backend of the mode "blocking": requests wait for it, but do not fail with it. */
export const ignoringErrors = (backend: AuditBackend): AuditBackend => ({
  process(events) {
    const kept = backend.process(events);
    return kept instanceof Promise ? kept.then(() => true) : true;
  },
  close: () => backend.close(),
});

/** Whether all backends have kept their events. */
export function allKept(answers: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const later = answers.filter((one) => one instanceof Promise);
  const isKept = answers.every((one) => one !== false);
  return later.length === 0 ? isKept : Promise.all(later).then((all) => isKept && all.every((one) => one));
}

/** Combines several backends; each gets all events. */
export function unionOf(backends: readonly AuditBackend[]): AuditBackend {
  const [only] = backends;
  if (only !== undefined && backends.length === 1) return only;
  return {
    process(events) {
      return allKept(backends.map((backend) => backend.process(events)));
    },
    async close() {
      await Promise.all(backends.map((backend) => backend.close()));
    },
  };
}

/** Makes a backend that passes events to a function. */
export const functionBackend = (receive: AuditFunction, lost: ReportLost): AuditBackend => ({
  async process(events) {
    for (const event of events) await handOver(event, receive, lost);
    return true;
  },
  close: () => Promise.resolve(),
});

async function handOver(event: RecordedEvent, receive: AuditFunction, lost: ReportLost): Promise<void> {
  try {
    await receive(JSON.parse(event.json) as AuditEvent);
  } catch (error) {
    lost("function", error, [event]);
  }
}
