import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../api/types/admissionregistration/v1.js";
import type { Node, Pod } from "../../api/types/core/v1.js";
import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import { inParallel } from "../../base/async/in-parallel.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import { OS_IMAGE } from "../../node/agent/node-registration.js";

/** The containers and pods of a cluster that run a stand-in in place of their image. */
export interface StandIns {
  readonly containers: number;
  readonly pods: number;
  /** How many nodes that run pods did not say. */
  readonly silentNodes: number;
  /** The webhooks of admission that are not called, because what would answer them stands in. */
  readonly webhooks: readonly SkippedWebhook[];
}

export interface SkippedWebhook {
  readonly name: string;
  /** "validatingwebhookconfiguration/hooks". */
  readonly configuration: string;
  /** "default/hooks". */
  readonly service: string;
}

/** How many nodes are asked at a time. */
const REQUESTS = 16;
/** A node that answers later is left out. Milliseconds. */
const PATIENCE = 5000;

/**
 * Asks the nodes which of their containers run a stand-in, and finds the webhooks that lead to those pods. Nodes of other programs
 * are left out.
 */
export async function standInsOf(
  client: KubernetesClient,
  { nodes, pods }: { readonly nodes: readonly Node[]; readonly pods: readonly Pod[] },
): Promise<StandIns> {
  const busy = new Set(
    pods.flatMap(({ spec, status }) => (status?.phase === "Succeeded" ? [] : (spec?.nodeName ?? []))),
  );
  const asked = nodes.flatMap(({ metadata: { name = "" } = {}, status }) =>
    status?.nodeInfo?.osImage === OS_IMAGE && busy.has(name) ? [name] : [],
  );
  const answers = await inParallel(asked, REQUESTS, (node) => standInsOn(node, client));
  const containers = answers.flatMap((answer) => answer ?? []);
  const uids = new Set(containers.map(({ uid }) => uid));
  return {
    containers: containers.length,
    pods: uids.size,
    silentNodes: answers.filter((answer) => answer === undefined).length,
    webhooks: uids.size === 0 ? [] : await skippedWebhooks(client, uids),
  };
}

/** The uids of the containers' pods; undefined where the node does not answer. */
async function standInsOn(
  node: string,
  client: KubernetesClient,
): Promise<readonly { readonly uid: string }[] | undefined> {
  try {
    const path = `/api/v1/nodes/${node}/proxy/standIns`;
    const answer = await client.rest.request({ method: "GET", path, timeout: PATIENCE, limitUntold: true });
    return objects(answer.json()["containers"]).map(({ podRef }) => ({ uid: text(object(podRef).uid) }));
  } catch {
    return undefined;
  }
}

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

/** Webhooks whose Service has a ready endpoint at one of these pods. */
async function skippedWebhooks(
  client: KubernetesClient,
  standingIn: ReadonlySet<string>,
): Promise<readonly SkippedWebhook[]> {
  const registration = "admissionregistration.k8s.io/v1";
  const [validating, mutating] = await Promise.all([
    client.of(registration, "ValidatingWebhookConfiguration").listWhole(),
    client.of(registration, "MutatingWebhookConfiguration").listWhole(),
  ]);
  const found = [
    ...mutating.items.flatMap((one) => webhooksOf("mutatingwebhookconfiguration", one)),
    ...validating.items.flatMap((one) => webhooksOf("validatingwebhookconfiguration", one)),
  ];
  if (found.length === 0) return [];
  const slices = await client.of("discovery.k8s.io/v1", "EndpointSlice").listWhole();
  const services = new Set(slices.items.filter((slice) => leadsTo(slice, standingIn)).map(serviceOf));
  return found.filter(({ service }) => services.has(service));
}

const webhooksOf = (kind: string, { metadata, webhooks = [] }: Configuration): readonly SkippedWebhook[] =>
  webhooks.flatMap(({ name, clientConfig: { service } }) => {
    const configuration = `${kind}/${metadata?.name ?? ""}`;
    return service === undefined ? [] : [{ name, configuration, service: `${service.namespace}/${service.name}` }];
  });

const leadsTo = ({ endpoints }: EndpointSlice, pods: ReadonlySet<string>): boolean =>
  (endpoints ?? []).some(({ conditions, targetRef }) => conditions?.ready !== false && pods.has(targetRef?.uid ?? ""));

const serviceOf = ({ metadata }: EndpointSlice): string =>
  `${metadata?.namespace ?? ""}/${metadata?.labels?.["kubernetes.io/service-name"] ?? ""}`;
