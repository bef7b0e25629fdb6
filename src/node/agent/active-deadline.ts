import { absent, number, object } from "../../machinery/meta/received.js";
import type { PodContext } from "./pod-context.js";
import type { PodFailure } from "./status/pod-status.js";

const MESSAGE = "Pod was active on the node longer than the specified deadline";

/** Calls `fail` when the pod has been active, since `startTime` (RFC 3339), for as long as its spec allows, unless `stopping` aborts before. */
export function limitActivity(
  startTime: string,
  { parts, pod }: PodContext,
  stopping: AbortSignal,
  fail: (failure: PodFailure) => void,
): void {
  const { activeDeadlineSeconds } = object(pod().spec);
  if (absent(activeDeadlineSeconds)) return;
  const { clock, timers, event } = parts;
  const left = Date.parse(startTime) + number(activeDeadlineSeconds) * 1000 - clock.now();
  const cancel = timers.start(Math.max(0, left), () => {
    event(pod(), "Normal", "DeadlineExceeded", MESSAGE);
    fail({ reason: "DeadlineExceeded", message: MESSAGE });
  });
  stopping.addEventListener("abort", cancel, { once: true });
}
