import { Backoff } from "../../base/time/backoff.js";

/** A container that runs for so long begins its pauses anew. Milliseconds. */
const RESET_MS = 600_000;

const crashBackoff = (): Backoff => new Backoff({ first: 10_000, longest: 300_000, factor: 2 });

/** Makes the backoff between tries to pull an image. */
export const imagePullBackoff = (): Backoff => new Backoff({ first: 10_000, longest: 300_000, factor: 2 });

/** Makes the backoff between tries to mount a pod's volumes. */
export const volumeBackoff = (): Backoff => new Backoff({ first: 500, longest: 122_000, factor: 2 });

/** The delays between restarts of one container, as a kubelet has them: none, then 10 seconds, doubled up to five minutes. */
export class RestartBackoff {
  #pauses: Backoff | undefined;

  /** The pause before the next restart of a container that ran so long. Milliseconds. */
  after(ranMilliseconds: number): number {
    if (ranMilliseconds >= RESET_MS) this.#pauses = undefined;
    if (this.#pauses !== undefined) return this.#pauses.next();
    this.#pauses = crashBackoff();
    return 0;
  }
}

/** Formats a duration as Go does: "10s", "1m20s", "5m0s". */
export function backoffText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
