import type { RecordedEvent } from "../recorded-event.js";
import type { AuditBackend, ReportLost } from "./audit-backend.js";
import type { AuditEvent } from "../audit-event.js";

/** Is called with each event. The request waits for a promise that it returns. An error is reported, and the request goes on. */
export type AuditFunction = (event: AuditEvent) => void | Promise<void>;

/** Hands events to a function. */
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
