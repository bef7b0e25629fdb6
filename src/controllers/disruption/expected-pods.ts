import type { Scale as ApiScale } from "../../api/types/autoscaling/v1.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { number, object, type ReceivedObject } from "../../machinery/meta/received.js";
import type { ApiObject, KubeObject, OwnerReference } from "../../machinery/meta/object.js";
import type { ServedResource, ServedResources } from "../served-resources.js";

/**
 * Computes the expected number of pods: the sum of the scales of all controllers of some pods, each counted once. Throws for a
 * controller without a scale.
 */
export class ExpectedPods {
  constructor(
    private readonly client: KubernetesClient,
    private readonly served: ServedResources,
  ) {}

  async of(pods: readonly ApiObject[]): Promise<{ readonly count: number; readonly hasUnmanaged: boolean }> {
    let hasUnmanaged = false;
    const scales = new Map<string, number>();
    const asked = new Set<string>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (owner === undefined) hasUnmanaged = true;
      if (owner === undefined || asked.has(owner.uid)) continue;
      asked.add(owner.uid);
      const found = await this.#scaleOf(owner, pod.metadata?.namespace ?? "");
      if (found === undefined) throw new Error(`found no controllers for pod ${goQuote(pod.metadata?.name ?? "")}`);
      scales.set(found.uid, found.replicas);
    }
    return { count: [...scales.values()].reduce((sum, one) => sum + one, 0), hasUnmanaged };
  }

  /** Undefined when there is no such controller any more. */
  async #scaleOf(owner: OwnerReference, namespace: string): Promise<Scale | undefined> {
    const resource = await this.#resourceOf(owner);
    const objects = this.client.resource(resource).namespace(namespace);
    if (resource.resource === "replicasets" && resource.group === "apps") {
      const set = await find(objects, owner.name);
      if (set?.metadata?.uid !== owner.uid) return undefined;
      const above = controllerOf(set);
      if (above?.kind === "Deployment" && above.apiVersion.startsWith("apps/")) return this.#scaleOf(above, namespace);
    }
    const scale: ReceivedObject<ApiScale> | undefined = await find(objects, owner.name, "scale");
    if (scale === undefined && !SCALED.has(`${resource.group}/${resource.resource}`)) {
      const name = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
      throw new Error(`${name} does not implement the scale subresource`);
    }
    if (scale?.metadata?.uid !== owner.uid) return undefined;
    return { uid: owner.uid, replicas: number(object(scale.spec).replicas) };
  }

  async #resourceOf({ apiVersion, kind }: OwnerReference): Promise<ServedResource> {
    const found = await this.served.ofKind(apiVersion, kind);
    if (found === undefined) throw new Error(`no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`);
    return found;
  }
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

/** Where an absent scale means an absent controller. */
const SCALED: ReadonlySet<string> = new Set([
  "/replicationcontrollers",
  "apps/deployments",
  "apps/replicasets",
  "apps/statefulsets",
]);

async function find(objects: ResourceClient, name: string, subresource = ""): Promise<KubeObject | undefined> {
  try {
    return await objects.get(name, { subresource });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const controllerOf = (object_: ApiObject): OwnerReference | undefined =>
  object_.metadata?.ownerReferences?.find(({ controller }) => controller === true);
