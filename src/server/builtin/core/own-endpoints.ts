import type { KubeObject } from "../../../machinery/meta/object.js";

/** True for the object that holds this server's own address, which is a loopback address where the server listens on no other. */
export const isOwnEndpoints = ({ metadata }: KubeObject): boolean =>
  metadata?.name === "kubernetes" && metadata.namespace === "default";
