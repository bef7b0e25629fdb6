import {
  type InProcessServer,
  type KubernetesClient as ResourcesClient,
  type KubernetesClientOptions,
  kubernetesClient as resourcesClient,
} from "../client/dynamic/kubernetes-client.js";
import type { ClientConfig } from "../client/config/client-config.js";
import type { Stored } from "../client/dynamic/stored.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { ApplyFilesOptions } from "./apply-files.js";
import type { CpOptions, PodPath } from "./copy.js";
import type { ExecResult, SessionOptions } from "./exec.js";
import type { PortForward, PortForwardOptions } from "./forward.js";
import type { LogsOptions } from "./logs.js";

/**
 * A client for all resources of one server, and for what runs in its pods. A pod is named by its name, or by what runs it:
 * "deployment/web", "svc/web". Close the client, or declare it with `await using`: closing ends every socket, timer and watch. What was
 * under way, and every later call, rejects with a ClientClosedError.
 */
export interface KubernetesClient extends ResourcesClient {
  /** The lines of a container's log, without their ends: `for await (const line of client.logs("web", { follow: true }))`. */
  logs(pod: string, options?: LogsOptions): AsyncGenerator<string, void, undefined>;
  /** Runs a command in a container until it ends, with whatever code: `await client.exec("web", ["ls", "/srv"])`. */
  exec(pod: string, command: readonly string[], options?: SessionOptions): Promise<ExecResult>;
  /** Attaches to the program that runs in a container, until it ends. */
  attach(pod: string, options?: SessionOptions): Promise<ExecResult>;
  /** Copies files to a container or back: `await client.cp("./site", { pod: "web", path: "/srv" })`. */
  cp(source: string | PodPath, destination: string | PodPath, options?: CpOptions): Promise<void>;
  /**
   * Forwards ports of this machine to those of a pod: `await using forward = await client.portForward("web", 80)`, and then
   * `forward.ports[0].local`.
   */
  portForward(
    pod: string,
    ports: number | string | readonly (number | string)[],
    options?: PortForwardOptions,
  ): Promise<PortForward>;
  /** Applies files, folders, URLs and kustomizations by server-side apply, definitions of custom resources before their objects. */
  applyFiles(
    files: string | URL | readonly (string | URL)[],
    options?: ApplyFilesOptions,
  ): Promise<Stored<KubeObject>[]>;
}

/**
 * Creates a client of a configured server, which connects on the first request, or of a server in this process, which it
 * reaches without a socket. Requests and watches share a connection pool. Throws when the config's certificates or ways of
 * authentication cannot be used.
 */
export function kubernetesClient(
  server: ClientConfig | InProcessServer,
  options: KubernetesClientOptions = {},
): KubernetesClient {
  const client = resourcesClient(server, options);
  // What few programs use is loaded when they do.
  return {
    ...client,
    async *logs(pod, given = {}) {
      yield* (await import("./logs.js")).logLines(client, pod, given);
    },
    exec: async (pod, command, given = {}) => (await import("./exec.js")).exec(client, pod, command, given),
    attach: async (pod, given = {}) => (await import("./exec.js")).attach(client, pod, given),
    cp: async (source, destination, given = {}) => (await import("./copy.js")).cp(client, source, destination, given),
    portForward: async (pod, ports, given = {}) =>
      (await import("./forward.js")).portForward(client, pod, ports, given),
    applyFiles: async (files, given = {}) => (await import("./apply-files.js")).applyFiles(client, files, given),
  };
}
