/** The exports of the package's main entry, "kubets": the client library, and what a client does in pods and with files. */
export * from "./client/index.js";
export { kubernetesClient, type KubernetesClient } from "./library/kubernetes-client.js";
export type { ApplyFilesOptions } from "./library/apply-files.js";
export type { CpOptions, PodPath } from "./library/copy.js";
export type { ExecResult, Output, SessionOptions } from "./library/exec.js";
export type { PodOptions } from "./library/found-pod.js";
export type { PortForward, PortForwardOptions } from "./library/forward.js";
export type { LogsOptions } from "./library/logs.js";
export type { ForwardedPorts } from "./actions/forward-ports/forward-ports.js";
export type { ForwardEvent } from "./actions/forward-ports/port-forwarder.js";
export type { TerminalSize } from "./machinery/wire/streams/remote-command.js";
