import type { Node } from "../../../api/types/core/v1.js";
import { unclassified } from "../../../machinery/errors/status-error.js";
import { number, object, objects, type ReceivedObject, text } from "../../../machinery/meta/received.js";

/** kube-apiserver's default of --kubelet-preferred-address-types. */
const PREFERRED: readonly string[] = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
const DEFAULT_PORT = 10250;

/** Where a node's agent answers, by TLS. */
export interface KubeletAddress {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Throws when the node names no address of the types, of which the first that it has counts. */
export function kubeletAddress({ status }: ReceivedObject<Node>, types = PREFERRED): KubeletAddress {
  const { addresses, daemonEndpoints } = object(status);
  const known = objects(addresses);
  const address = types.map((type) => known.find((one) => one.type === type)).find((one) => one !== undefined);
  if (address === undefined) {
    const shown = known.map((one) => `{${text(one.type)} ${text(one.address)}}`).join(" ");
    throw unclassified(`no preferred addresses found; known addresses: [${shown}]`);
  }
  const host = text(address.address);
  const port = number(object(object(daemonEndpoints).kubeletEndpoint).Port);
  return { host, port: port > 0 ? port : DEFAULT_PORT };
}
