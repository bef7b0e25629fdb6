import { goQuote } from "../base/text/go-quote.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { parseGroupVersion } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";

/** What actions use of a {@link KubernetesClient}: its connection, and the mapper from kinds to resources. */
export interface ActionClient extends Pick<KubernetesClient, "rest" | "mapper"> {
  /** Where an object without a namespace is. Absent: a namespaced one has to name its own. */
  readonly namespace?: string;
}

/** An object by its name: `{ apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" }`. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for kinds without namespaces. Default: the client's. */
  readonly namespace?: string | undefined;
}

/** An object whose resource is known already. */
export interface ResolvedTarget {
  readonly mapping: RestMapping;
  /** "" for kinds without namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** The object as it was read; actions that change it do not read it again. */
  readonly object?: KubeObject;
}

/** Which object an action is about. */
export type Target = ObjectReference | ResolvedTarget;

/**
 * Finds the resource of a target. Throws a NoMatchError for a kind that the server lacks, and an Error for a namespaced kind
 * without a namespace.
 */
export async function resolveTarget(target: Target, client: Omit<ActionClient, "rest">): Promise<ResolvedTarget> {
  if ("mapping" in target) return target;
  const { apiVersion, kind, name, namespace = client.namespace ?? "" } = target;
  const { group, version } = parseGroupVersion(apiVersion);
  const mapping = await client.mapper.mappingFor({ group, kind }, version);
  if (name === "") throw new Error(`the ${kind} has no name: name the object that is meant`);
  if (mapping.namespaced && namespace === "") {
    throw new Error(`the ${kind} ${goQuote(name)} has no namespace: name the one that it is in`);
  }
  return { mapping, namespace: mapping.namespaced ? namespace : "", name };
}
