import { goQuote } from "../../base/text/go-quote.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { number, text } from "../../machinery/meta/received.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { CrossVersionObjectReference } from "../../api/types/autoscaling/v2.js";
import type { ServedResource, ServedResources } from "../served-resources.js";

/** The scale of an object. */
export interface TargetScale {
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** As text; "" where the scale has none. */
  readonly selector: string;
  /** Writes another scale. Throws a conflict where the scale has changed since. */
  readonly set: (replicas: number) => Promise<void>;
}

/** Reads the scale subresource that an autoscaler's scaleTargetRef names. Throws where there is none. */
export async function scaleOf(
  { client, served }: { readonly client: KubernetesClient; readonly served: ServedResources },
  namespace: string,
  { apiVersion = "", kind, name }: CrossVersionObjectReference,
): Promise<TargetScale> {
  if (apiVersion.split("/").length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const resource = await resourceOf(served, parseGroupVersion(apiVersion).group, kind);
  const objects = client.resource(resource).namespace(namespace);
  const scale = await objects.get(name, { subresource: "scale" });
  const { spec, status } = scale;
  return {
    specReplicas: number(spec?.replicas),
    statusReplicas: number(status?.replicas),
    selector: text(status?.selector),
    set: async (replicas) => {
      await objects.update({ ...scale, spec: { ...spec, replicas } }, { subresource: "scale" });
    },
  };
}

/** The resource of a kind at its preferred version, whichever version the reference names. */
async function resourceOf(served: ServedResources, group: string, kind: string): Promise<ServedResource> {
  const { resources } = await served.all();
  const found = resources.find((one) => one.group === group && one.kind === kind && one.preferred);
  if (found !== undefined) return found;
  throw new Error(`no matches for kind ${goQuote(kind)} in group ${goQuote(group)}`);
}
