import { deferred } from "../../base/async/deferred.js";
import { resourcePath } from "../../client/dynamic/resource-path.js";
import { openPortForward } from "../../client/streaming/port-forward.js";
import { PODS } from "../selected-pods.js";
import type { ActionClient } from "../target.js";
import { parseAddresses, parsePorts } from "./port-spec.js";
import { type ForwardEvent, PortForwarder } from "./port-forwarder.js";

export interface ForwardPortsOptions {
  readonly pod: string;
  /** Default: the client's. */
  readonly namespace?: string;
  /** `REMOTE`, `LOCAL:REMOTE`, or `:REMOTE` for a free local port. */
  readonly ports: readonly string[];
  /** IP addresses to listen on; `localhost` is both families' where it can. Default: `localhost`. */
  readonly addresses?: readonly string[];
  /** A lost connection to a pod of this name is made again, and a fault of one connection ends no other. Default: false. */
  readonly reconnect?: boolean;
  /** Ends the forwarding, as `close` does. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ForwardEvent) => void;
}

/** Ports of a pod that can be reached on this machine. */
export interface ForwardedPorts {
  /** In the order of `ports`, with the local ports that were chosen. */
  readonly ports: readonly { readonly local: number; readonly remote: number }[];
  /** Resolves after `close`; rejects with "lost connection to pod" where that is not made again. */
  readonly closed: Promise<void>;
  /** Closes the local ports and every connection. Never rejects. */
  close(): Promise<void>;
}

/**
 * Forwards connections to local ports to those of a pod, as `kubectl port-forward` does. Resolves once it listens. Rejects with the
 * server's refusal, and when it can listen on none of the ports.
 */
export async function forwardPorts(client: ActionClient, options: ForwardPortsOptions): Promise<ForwardedPorts> {
  const { pod, namespace = client.namespace ?? "", addresses = ["localhost"], reconnect = false, onEvent } = options;
  if (namespace === "") throw new Error(`the pod "${pod}" has no namespace: name the one that it is in`);
  const wanted = parsePorts(options.ports);
  const chosen = new Map<number, number>();
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const path = resourcePath(PODS, namespace, pod, "portforward");
  const remotePorts = wanted.map(({ remote }) => remote);
  const listening = deferred<void>();
  const forwarder = new PortForwarder({
    ports: wanted,
    addresses: parseAddresses(addresses),
    reconnect,
    connect: async (ending) => ({
      connection: await openPortForward(client.rest, path, { signal: ending, webSockets: true }),
      remotePorts,
    }),
    onListening: listening.resolve,
    onEvent: (event) => {
      if (event.type === "listening") chosen.set(event.index, event.port.local);
      onEvent?.(event);
    },
  });
  const closed = forwarder.run(signal);
  // A caller may never look at the end.
  closed.catch(() => undefined);
  await Promise.race([listening.promise, closed]);
  signal.throwIfAborted();
  return {
    ports: wanted.map(({ local, remote }, index) => ({ local: chosen.get(index) ?? local, remote })),
    closed,
    close: async () => {
      stop.abort();
      await closed.catch(() => undefined);
    },
  };
}
