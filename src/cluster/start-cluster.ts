import type { ManualClock } from "../base/time/manual-clock.js";
import { builtinRecords } from "../server/builtin/index.js";
import { recordId, type ResourceRecord } from "../server/endpoints/resource-record.js";
import type { Strategy } from "../server/registry/strategy.js";
import type { ClusterClock } from "./cluster-clock.js";
import { composeServer } from "./compose-server.js";
import { AggregatorPart } from "./control-plane/aggregator-part.js";
import { NodesPart, SharedServerPart } from "./control-plane/node-parts.js";
import { type ControlPlanePart, ControlPlanePlan } from "./control-plane/plan.js";
import { ControllersPart, Elections, SchedulerPart } from "./control-plane/programs.js";
import {
  CustomResourcesPart,
  KubernetesServicePart,
  rolesPart,
  serviceCidrPart,
  systemNamespacesPart,
} from "./control-plane/system-parts.js";
import { type GivenSetup, kubeletsOf } from "./given-setup.js";
import type { ClusterOptions } from "./options/cluster-options.js";
import type { RunningServer } from "./running-server.js";

/** A running control plane. */
export type Cluster = RunningServer;

/** A running control plane whose time is driven. */
export interface DrivenCluster extends Cluster {
  readonly clock: ClusterClock;
}

/**
 * Starts a cluster; when it resolves, the API serves and the system's namespaces exist. Rejects before anything is opened for an
 * unknown controller or admission plugin.
 */
export function startCluster(options: ClusterOptions & { readonly clock: ManualClock }): Promise<DrivenCluster>;
export function startCluster(options?: ClusterOptions): Promise<Cluster>;
export function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return startControlPlane(options);
}

/** Starts a control plane as flags of kube-apiserver set it up. */
export async function startControlPlane(options: ClusterOptions, given?: GivenSetup): Promise<Cluster> {
  const plan = await ControlPlanePlan.of(options, given);
  const elections = new Elections(plan);
  const shared = new SharedServerPart(plan);
  const controllers = new ControllersPart(plan, elections, shared);
  const nodes = new NodesPart(plan, shared);
  const definitions = new CustomResourcesPart();
  const aggregator = new AggregatorPart(plan, definitions);
  const { scheduler } = options;
  // They start in this order, before the API is served.
  const started: readonly ControlPlanePart[] = [
    ...(plan.isOneOfSeveral ? [shared] : []),
    systemNamespacesPart,
    serviceCidrPart(plan),
    new KubernetesServicePart(plan),
    rolesPart(plan),
    definitions,
    aggregator,
    controllers,
    ...(scheduler === false ? [] : [new SchedulerPart(plan, elections, scheduler)]),
    ...(nodes.isNeeded ? [nodes] : []),
  ];
  return composeServer(options, {
    serving: given?.serving,
    checksInformers: given !== undefined,
    runtimeConfig: options.runtimeConfig ?? {},
    records: furnishingNamespaces(given?.adaptRecords(builtinRecords) ?? builtinRecords, controllers),
    authorization: {},
    aggregation: aggregator.aggregation,
    serviceAccounts: (pki) => plan.issuerOfTokens(pki),
    steps: (parts) =>
      started.map((part) => ({ name: part.name, run: (server, listener) => part.start(server, listener, parts) })),
    network: given === undefined ? nodes.network : { ...nodes.network, ...kubeletsOf(given) },
    // Where hooks follow, they may wait for pods.
    afterSteps: () => nodes.release(),
    async preShutdown() {
      await Promise.all([elections.stop(), ...started.map((part) => part.stop?.())]);
      await shared.close();
    },
  });
}

/**
 * A new namespace is answered when it has what every namespace has, so that the next request may count on its default
 * ServiceAccount.
 */
function furnishingNamespaces(
  records: readonly ResourceRecord[],
  controllers: ControllersPart,
): readonly ResourceRecord[] {
  const afterCreate: Strategy["afterCreate"] = async ({ metadata }) => controllers.prepared(metadata?.name ?? "");
  return records.map((record) =>
    recordId(record) === "/namespaces" ? { ...record, strategy: { ...record.strategy, afterCreate } } : record,
  );
}
