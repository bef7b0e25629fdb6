import { readFileSync } from "node:fs";
import type { Clock } from "../../base/time/clock.js";

const MAX_AGE = 60_000;

/**
 * A bearer token in a file that another process renews. It is read again after a minute. While the file cannot be read, the
 * last token stays valid.
 */
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
        // The file is being replaced. The last token stays in use.
      }
    }
    return this.current;
  }
}
