// Made by tools/generate-api-types.mjs of the API facts.
import type { ObjectReference, Protocol } from "../core/v1.js";
import type { ListMeta, ObjectMeta } from "../meta/v1.js";

export type AddressType = "FQDN" | "IPv4" | "IPv6";

export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  hostname?: string;
  targetRef?: ObjectReference;
  deprecatedTopology?: Record<string, string>;
  nodeName?: string;
  zone?: string;
  hints?: EndpointHints;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forZones?: ForZone[];
  forNodes?: ForNode[];
}

export interface EndpointPort {
  name?: string;
  protocol?: Protocol;
  port?: number;
  appProtocol?: string;
}

/** EndpointSlice of discovery.k8s.io/v1, since Kubernetes 1.21. Namespaced; resource `endpointslices`. */
export interface EndpointSlice {
  kind?: "EndpointSlice";
  apiVersion?: "discovery.k8s.io/v1";
  metadata?: ObjectMeta;
  addressType: AddressType;
  endpoints?: Endpoint[] | null;
  ports?: EndpointPort[] | null;
}

export interface EndpointSliceList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: EndpointSlice[];
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}
