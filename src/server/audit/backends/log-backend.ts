import { legacyLine, type RecordedEvent } from "../recorded-event.js";
import type { AuditBackend, ReportLost } from "./audit-backend.js";

/** The output of a log's lines. */
export interface LineSink {
  /** Writes lines, each with its end. Rejects with the reason where they are not all written. */
  write(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Writes a line for each event: its JSON, or a text in the format "legacy". */
export function logBackend(sink: LineSink, format: string, lost: ReportLost): AuditBackend {
  const lineOf = format === "legacy" ? legacyLine : ({ json }: RecordedEvent): string => json;
  return {
    async process(events) {
      try {
        await sink.write(events.map((event) => `${lineOf(event)}\n`));
        return true;
      } catch (error) {
        lost("log", error, events);
        return false;
      }
    },
    close: () => sink.close(),
  };
}
