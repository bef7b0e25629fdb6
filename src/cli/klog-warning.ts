import { klogLine } from "./klog.js";

/** A warning of klog's: `W1121 07:00:08.408700       1 helpers.go:718] --dry-run is deprecated...`. */
export const klogWarning = (source: string, message: string, now: Date, pid?: number): string =>
  klogLine("W", source, message, now, pid);
