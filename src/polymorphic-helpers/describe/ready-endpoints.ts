import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import { list, object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { DescribeReader } from "./describer.js";
import { whole } from "./go-fields.js";

/** So many are shown. */
const MOST = 3;

/** Requests the slices of a service, in one answer. */
export const slicesOf = (
  reader: DescribeReader,
  namespace: string,
  service: string,
): Promise<readonly ReceivedObject<EndpointSlice>[]> =>
  reader.list("discovery.k8s.io/v1/EndpointSlice", namespace, {
    labelSelector: `kubernetes.io/service-name=${service}`,
    unlimited: true,
  });

/** The ready endpoints of a service's port ("" for the unnamed one), "10.0.0.1:80,10.0.0.2:80"; for slices without ports the addresses alone. */
export function readyEndpoints(slices: readonly ReceivedObject<EndpointSlice>[], port: string): string {
  if (slices.length === 0) return "<none>";
  const shown: string[] = [];
  let [count, more] = [0, false];
  for (const { endpoint, at } of slices.flatMap((slice) => candidates(slice, port))) {
    // As kubectl: also one that is not ready, after the last that is shown, makes it say how many more there are.
    if (shown.length === MOST) more = true;
    if (object(endpoint.conditions).ready === false) continue;
    if (!more) shown.push(at(text(list(endpoint.addresses)[0])));
    count += 1;
  }
  return `${shown.join(",")}${more ? ` + ${count - MOST} more...` : ""}`;
}

function candidates({ ports, endpoints }: ReceivedObject<EndpointSlice>, name: string) {
  const all = objects(endpoints);
  const known = objects(ports);
  if (known.length === 0) return all.map((endpoint) => ({ endpoint, at: (address: string) => address }));
  return known
    .filter((port) => text(port.name) === name)
    .flatMap((port) => all.map((endpoint) => ({ endpoint, at: (address: string) => hostPort(address, port.port) })));
}

const hostPort = (address: string, port: unknown): string =>
  `${address.includes(":") ? `[${address}]` : address}:${whole(port)}`;
