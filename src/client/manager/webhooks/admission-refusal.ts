import type { StatusCause } from "../../../machinery/errors/status-error.js";

export interface RefusalOptions {
  /** The HTTP status that the client of the API server gets. Default 403. */
  readonly code?: number;
  /** The machine-readable reason. Default "Forbidden". */
  readonly reason?: string;
  /** The fields that are wrong. */
  readonly causes?: readonly StatusCause[];
}

/**
 * A webhook throws it to refuse a request: `throw new AdmissionRefusal("a shelf needs a room")`. The API server answers its client
 * `admission webhook "NAME" denied the request: MESSAGE`.
 */
export class AdmissionRefusal extends Error {
  override readonly name = "AdmissionRefusal";
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];

  constructor(message: string, { code = 403, reason = "Forbidden", causes = [] }: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}
