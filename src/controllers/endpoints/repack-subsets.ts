import type { FieldsOf } from "../../machinery/meta/received.js";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../api/types/core/v1.js";
import { inHashOrder } from "../service-endpoints/hash-order.js";

/** Addresses that offer the same ports, in the same state. */
interface Offer {
  readonly ports: EndpointPort[];
  readonly addresses: ReadonlyMap<string, Member>;
}

interface Member {
  readonly address: EndpointAddress;
  readonly ready: boolean;
}

/**
 * The canonical form of subsets: each set of addresses once, with all ports that it offers; addresses by IP, ports and subsets in
 * the order of their hashes. An address that is also not ready for a port is not ready.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const byPort = new Map<
    string,
    { readonly port: EndpointPort | undefined; readonly addresses: Map<string, Member> }
  >();
  for (const { ports = [], addresses = [], notReadyAddresses = [] } of subsets) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = port === undefined ? "" : JSON.stringify([port.name, port.port, port.protocol, port.appProtocol]);
      const offered = byPort.get(key) ?? { port, addresses: new Map<string, Member>() };
      byPort.set(key, offered);
      for (const address of addresses) note(offered.addresses, address, true);
      for (const address of notReadyAddresses) note(offered.addresses, address, false);
    }
  }
  const offers = new Map<string, Offer>();
  for (const { port, addresses } of byPort.values()) {
    const key = [...addresses]
      .map(([of, { ready }]) => `${of} ${ready}`)
      .sort()
      .join();
    const offer = offers.get(key) ?? { ports: [], addresses };
    offers.set(key, offer);
    if (port !== undefined) offer.ports.push(port);
  }
  return inHashOrder("io.k8s.api.core.v1.EndpointSubset", [...offers.values()].map(subsetOf));
}

function note(members: Map<string, Member>, address: EndpointAddress, ready: boolean): void {
  const key = `${address.ip} ${address.targetRef?.uid ?? ""}`;
  const known = members.get(key);
  if (known === undefined) members.set(key, { address, ready });
  else if (known.ready) members.set(key, { address: known.address, ready });
}

function subsetOf({ ports, addresses }: Offer): EndpointSubset {
  const members = [...addresses.values()];
  const inState = (state: boolean) => members.filter(({ ready }) => ready === state).map(({ address }) => address);
  const [ready, notReady] = [byAddress(inState(true)), byAddress(inState(false))];
  return {
    ...(ready.length > 0 && ({ addresses: ready } satisfies FieldsOf<EndpointSubset>)),
    ...(notReady.length > 0 && ({ notReadyAddresses: notReady } satisfies FieldsOf<EndpointSubset>)),
    ...(ports.length > 0 &&
      ({ ports: inHashOrder("io.k8s.api.core.v1.EndpointPort", ports) } satisfies FieldsOf<EndpointSubset>)),
  };
}

/** By IP, as text, and by the pod's uid. */
function byAddress(addresses: readonly EndpointAddress[]): EndpointAddress[] {
  return [...addresses].sort((a, b) => {
    if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
    return (a.targetRef?.uid ?? "") < (b.targetRef?.uid ?? "") ? -1 : 1;
  });
}
