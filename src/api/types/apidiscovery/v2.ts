// Made by tools/generate-api-types.mjs of the API facts.
import type { GroupVersionKind, ListMeta, ObjectMeta } from "../meta/v1.js";

export interface APIGroupDiscovery {
  kind?: "APIGroupDiscovery";
  apiVersion?: "apidiscovery.k8s.io/v2";
  metadata?: ObjectMeta;
  versions?: APIVersionDiscovery[];
}

export interface APIGroupDiscoveryList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: APIGroupDiscovery[];
}

export interface APIResourceDiscovery {
  resource: string;
  responseKind?: GroupVersionKind;
  scope: string;
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: APISubresourceDiscovery[];
}

export interface APISubresourceDiscovery {
  subresource: string;
  responseKind?: GroupVersionKind;
  acceptedTypes?: GroupVersionKind[];
  verbs: string[];
}

export interface APIVersionDiscovery {
  version: string;
  resources?: APIResourceDiscovery[];
  freshness?: string;
}
