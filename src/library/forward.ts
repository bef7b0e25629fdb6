import { type ForwardedPorts, forwardPorts, type ForwardPortsOptions } from "../actions/forward-ports/forward-ports.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { foundPod } from "./found-pod.js";

export interface PortForwardOptions
  extends Pick<ForwardPortsOptions, "addresses" | "reconnect" | "signal" | "onEvent"> {
  /** Default: the client's. */
  readonly namespace?: string;
}

/** Forwarded ports of a pod on this machine, until `close` or the end of an `await using` block. */
export interface PortForward extends ForwardedPorts, AsyncDisposable {}

/**
 * Forwards ports of this machine to those of a pod. A number is the pod's port, by a free one here; a text is kubectl's: "8080:80",
 * ":80", "80". Resolves once it listens. Rejects with the server's refusal, and when it can listen on none of the ports.
 */
export async function portForward(
  client: KubernetesClient,
  pod: string,
  ports: number | string | readonly (number | string)[],
  options: PortForwardOptions,
): Promise<PortForward> {
  const { metadata } = await foundPod(client, pod, options);
  const { name = "", namespace = "" } = metadata ?? {};
  const wanted = [ports].flat().map((port) => (typeof port === "number" ? `:${port}` : port));
  const forwarded = await forwardPorts(client, { ...options, pod: name, namespace, ports: wanted });
  return { ...forwarded, [Symbol.asyncDispose]: () => forwarded.close() };
}
