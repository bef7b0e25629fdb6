import { errorMessage } from "../../base/text/error-message.js";

/**
 * Why a plugin lets a pod not pass. "unschedulable": removing other pods may help; "unresolvable": it cannot; "pending": the pod waits for
 * something outside the scheduler and skips backoff when that comes; "skip": the plugin has nothing to do for this pod; "wait": the pod
 * waits at permit; "error": the plugin failed.
 */
export type StatusCode = "unschedulable" | "unresolvable" | "pending" | "skip" | "wait" | "error";

/** The status that a plugin returns unless it succeeds; success is `undefined`. */
export interface Status {
  readonly code: StatusCode;
  /** What users read in events: "node(s) were unschedulable". */
  readonly reasons: readonly string[];
  /** The name of the plugin; the framework fills it in where it is "". */
  readonly plugin: string;
  /** How long a pod may wait at permit, in milliseconds; only with "wait". */
  readonly waitMilliseconds?: number;
  /** What was thrown; only with "error". */
  readonly error?: unknown;
}

export function unschedulable(plugin: string, ...reasons: readonly string[]): Status {
  return { code: "unschedulable", reasons, plugin };
}

export function unresolvable(plugin: string, ...reasons: readonly string[]): Status {
  return { code: "unresolvable", reasons, plugin };
}

export function pending(plugin: string, ...reasons: readonly string[]): Status {
  return { code: "pending", reasons, plugin };
}

/** The plugin has nothing to do for this pod: the framework skips its later calls for the pod. */
export const SKIP: Status = { code: "skip", reasons: [], plugin: "" };

export function failed(plugin: string, error: unknown): Status {
  return { code: "error", reasons: [errorMessage(error)], plugin, error };
}

/** Adds the place to an error's reasons: `running Bind plugin "DefaultBinder": ...`. Other statuses stay unchanged. */
export function at(where: string, status: Status): Status {
  return status.code === "error" ? { ...status, reasons: [`${where}: ${status.reasons.join(", ")}`] } : status;
}

export function isRejected(status: Status | undefined): boolean {
  return status !== undefined && ["unschedulable", "unresolvable", "pending"].includes(status.code);
}

/** Names the plugin in a status that does not. */
export function from(plugin: string, status: Status): Status {
  return status.plugin === "" ? { ...status, plugin } : status;
}
