import type { ByMode, RefusalOutcome } from "./runner/row.js";
import { refused } from "./runner/steps.js";

const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];

/** 504 for a revision that does not come. */
export function tooLarge(requested: string): ByMode<RefusalOutcome> {
  const message = `Timeout: Too large resource version: ${requested}, current: {now}`;
  return {
    because: "the cache waits three seconds and says when to come back; the store knows at once and does not",
    cached: refused(504, "Timeout", message, { causes, retryAfterSeconds: 1 }),
    direct: refused(504, "Timeout", message, { causes }),
  };
}
