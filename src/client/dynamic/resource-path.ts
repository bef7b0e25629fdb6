import { goQuote } from "../../base/text/go-quote.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";

/**
 * The URL path of a collection, an object or a subresource. The namespace "" is all of them. Throws in client-go's words for
 * a name that is not one segment of a path, because the request would address another resource.
 */
export function resourcePath(
  { resource: { group, version, resource }, namespaced }: Pick<RestMapping, "resource" | "namespaced">,
  namespace: string,
  name?: string,
  subresource?: string,
): string {
  const segments = group === "" ? ["api", version] : ["apis", group, version];
  if (namespaced && namespace !== "") segments.push("namespaces", checked(namespace, "namespace"));
  segments.push(resource);
  if (name !== undefined) {
    if (name === "") throw new Error("resource name may not be empty");
    segments.push(checked(name, "resource name"));
  }
  if (subresource !== undefined && subresource !== "") segments.push(subresource);
  return `/${segments.map(escapeSegment).join("/")}`;
}

function checked(segment: string, what: string): string {
  const faults = segmentFaults(segment);
  if (faults.length > 0) throw new Error(`invalid ${what} ${goQuote(segment)}: [${faults.join(" ")}]`);
  return segment;
}

function segmentFaults(segment: string): readonly string[] {
  if (segment === "." || segment === "..") return [`may not be '${segment}'`];
  return ["/", "%"]
    .filter((character) => segment.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** As Go escapes a path: what may stand in a segment stands there. */
const escapeSegment = (segment: string): string =>
  encodeURIComponent(segment).replace(/%(3A|40|24|26|2B|2C|3B|3D)/g, (escaped) => decodeURIComponent(escaped));
