import type { KubeObject } from "../../../../machinery/meta/object.js";

/**
 * True for the objects that hold the addresses of API servers: "kubernetes", and a slice "kubernetes-PORT" for each further port. They are
 * loopback addresses where the servers listen on no others.
 */
export const isOwnEndpoints = ({ metadata }: KubeObject): boolean =>
  metadata?.namespace === "default" && /^kubernetes(-\d{1,5})?$/.test(metadata.name ?? "");
