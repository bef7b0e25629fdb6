import type { KubeObject } from "../../../machinery/meta/object.js";

/** Where this server itself is found; that is a loopback address where it listens on no other. */
export const isOwn = ({ metadata }: KubeObject): boolean =>
  metadata?.name === "kubernetes" && metadata.namespace === "default";
