import type { TracingOptions } from "../../component/apiserver-flags/traces.js";
import type { ComponentLog } from "../../component/logging/component-log.js";
import type { LifeCycleEvent } from "../../server/generic/life-cycle.js";
import type { RequestLog } from "../../server/filters/request-log.js";

/** The lines that kube-apiserver logs at -v=1 for the events of a server's life. */
const LINES: Readonly<Partial<Record<LifeCycleEvent, readonly [source: string, message: string]>>> = {
  MuxAndDiscoveryComplete: ["566", "%s has all endpoints registered and discovery information is complete"],
  ShutdownInitiated: ["579", '"[graceful-termination] shutdown event" name="%s"'],
  AfterShutdownDelayDuration: ["571", '"[graceful-termination] shutdown event" name="%s"'],
  PreShutdownHooksStopped: ["724", '"[graceful-termination] pre-shutdown hooks completed" name="%s"'],
  NotAcceptingNewRequest: ["638", '"[graceful-termination] shutdown event" name="%s"'],
  InFlightRequestsDrained: ["709", '"[graceful-termination] shutdown event" name="%s"'],
  HTTPServerStoppedListening: ["631", '"[graceful-termination] shutdown event" name="%s"'],
};

/** Logs slow requests at -v=2, as k8s.io/utils/trace does for kube-apiserver. */
export const logSlowRequests = (log: ComponentLog): TracingOptions => ({
  onSlowRequest: (text) => log.info("trace/trace.go:236", text, 2),
  verbosity: () => log.verbosity,
});

/** Makes the listener that logs the events of a server's life at -v=1. */
export const logLifeCycle =
  (log: ComponentLog) =>
  (event: LifeCycleEvent): void => {
    const [line, message] = LINES[event] ?? [];
    if (message !== undefined) log.info(`server/genericapiserver.go:${line}`, message.replace("%s", event), 1);
  };

const REQUESTS = { source: "httplog/httplog.go:134", level: 3 };

/** The log of requests at -v=3, or at --vmodule=httplog=3. */
export const requestLogOf = (log: ComponentLog): RequestLog => ({
  isOn: () => log.isOn(REQUESTS.level, REQUESTS.source),
  write: (message, values) => log.structured(REQUESTS.source, message, values, REQUESTS.level),
});
