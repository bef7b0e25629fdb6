import { spawn } from "node:child_process";
import type { ComponentLog } from "./logging/component-log.js";

/** The states that a service of Type=notify reports to systemd. */
export type ServiceState = "READY=1" | "STOPPING=1";

/**
 * Reports the state of this service to systemd if it runs with Type=notify. Node has no Unix datagram sockets, so that the program
 * systemd-notify sends the report: the unit needs NotifyAccess=all. Resolves with the reason why systemd could not be notified;
 * undefined when it was.
 */
export function notifySystemd(
  state: ServiceState,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if ((env["NOTIFY_SOCKET"] ?? "") === "") return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn("systemd-notify", [state], { env: { ...env }, stdio: "ignore" });
    child.once("error", (error) => resolve(`systemd-notify cannot run: ${error.message}`));
    child.once("exit", (code) => resolve(code === 0 ? undefined : `systemd-notify ended with code ${code}`));
  });
}

/** Reports to systemd that the service is ready. It logs a failure in kube-apiserver's words. */
export async function tellSystemdReady(
  env: Readonly<Record<string, string | undefined>>,
  log: ComponentLog,
): Promise<void> {
  const fault = await notifySystemd("READY=1", env);
  if (fault !== undefined)
    log.error(
      "server/genericapiserver.go:787",
      "Unable to send systemd daemon successful start message",
      new Error(fault),
    );
}
