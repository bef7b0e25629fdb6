import { readFileSync } from "node:fs";
import type { Clock } from "../../base/clock.js";

const MAX_AGE = 60_000;

/** A token that somebody else keeps fresh in a file: read again when a minute old; the last good one stands in between. */
export class BearerTokenFile {
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly file: string,
    private current: string,
    private readonly clock: Clock,
  ) {}

  token(): string {
    if (this.clock.now() - this.readAt >= MAX_AGE) {
      this.readAt = this.clock.now();
      try {
        const fresh = readFileSync(this.file, "utf8").trim();
        if (fresh !== "") this.current = fresh;
      } catch {
        // The file may be between two versions: keep what we have.
      }
    }
    return this.current;
  }
}
