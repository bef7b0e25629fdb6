import type { RecordedEvent } from "../recorded-event.js";
import { allKept, type AuditBackend, type ReportLost } from "./audit-backend.js";

/** The size limits in bytes. */
export interface TruncateLimits {
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
}

/**
 * Bounds the size of events and of batches. An event that is too large loses the objects of its request and answer; one that is too large without
 * them is lost.
 */
export function truncating(backend: AuditBackend, limits: TruncateLimits, lost: ReportLost): AuditBackend {
  return {
    process(events) {
      const batches = batchesOf(events, limits, lost);
      return allKept(batches.map((batch) => backend.process(batch)));
    },
    close: () => backend.close(),
  };
}

function batchesOf(
  events: readonly RecordedEvent[],
  { maxEventSize, maxBatchSize }: TruncateLimits,
  lost: ReportLost,
): readonly (readonly RecordedEvent[])[] {
  const batches: RecordedEvent[][] = [];
  const tooLarge: RecordedEvent[] = [];
  let size = 0;
  for (const event of events) {
    let fitting = event;
    const { level } = event.parts;
    const hasObjects = level === "Request" || level === "RequestResponse";
    if (sizeOf(event) > maxEventSize && hasObjects) fitting = event.truncated();
    const own = sizeOf(fitting);
    if (own > maxEventSize) {
      tooLarge.push(fitting);
      continue;
    }
    const last = batches.at(-1);
    if (last === undefined || size + own > maxBatchSize) {
      batches.push([fitting]);
      size = own;
    } else {
      last.push(fitting);
      size += own;
    }
  }
  if (tooLarge.length > 0) {
    const reasons = tooLarge.map(() => "event is too large even after truncating");
    lost("truncate", new Error(reasons.length === 1 ? reasons[0] : `[${reasons.join(", ")}]`), tooLarge);
  }
  return batches;
}

/** The line end counts. */
const sizeOf = ({ json }: RecordedEvent): number => Buffer.byteLength(json) + 1;
