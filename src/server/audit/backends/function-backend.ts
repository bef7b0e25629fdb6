import type { RecordedEvent } from "../recorded-event.js";
import type { AuditBackend, ReportLost } from "./audit-backend.js";
import type { AuditEvent, AuditFunction } from "../audit-event.js";

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
