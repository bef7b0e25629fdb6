import { child, type Fields, list, object, text } from "../../machinery/meta/access.js";

/** One value under an old and a new name: what a client says in either shows in both, and the old one goes first. */

/** Aligns the field for a pod's first address with the list of its addresses. */
export function alignPodIps(status: Fields): void {
  const first = () => text(object(list(status.podIPs)[0]).ip);
  const single = text(status.podIP);
  if (single !== "" && single !== first()) status.podIPs = [{ ip: single }];
  if (first() !== "") status.podIP = first();
}

/** Aligns the field for a node's first block of pod addresses with the list of its blocks. */
export function alignPodCidrs(node: Fields): void {
  const spec = child(node, "spec");
  if (spec === undefined) return;
  const first = () => text(list(spec.podCIDRs)[0]);
  const single = text(spec.podCIDR);
  if (single !== "" && single !== first()) spec.podCIDRs = [single];
  if (first() !== "") spec.podCIDR = first();
}

export const INIT_CONTAINERS = ["alpha", "beta"].flatMap((stage) =>
  ["init-containers", "init-container-statuses"].map((what) => `pod.${stage}.kubernetes.io/${what}`),
);

/** Removes the annotations in which init containers were written before there was a field for them, from a pod or a template. */
export function dropInitContainerAnnotations(holder: Fields): void {
  const annotations = child(child(holder, "metadata") ?? {}, "annotations");
  if (annotations !== undefined) for (const key of INIT_CONTAINERS) delete annotations[key];
}
