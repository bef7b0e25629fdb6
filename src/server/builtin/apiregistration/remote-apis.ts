import type { APIServiceCondition, APIService, APIServiceStatus } from "../../../api/types/apiregistration/v1.js";
import type { Service } from "../../../api/types/core/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { compareVersions, formatGroupVersion } from "../../../machinery/meta/gvk.js";
import {
  type FieldsOf,
  absent,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";

/** A group version that another server serves: an APIService with a service. */
export interface RemoteApi {
  /** Of the APIService: "v1beta1.metrics.k8s.io". */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** "metrics.k8s.io/v1beta1". */
  readonly groupVersion: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM, base64; "" for the system's authorities. */
  readonly caBundle: string;
  readonly insecureSkipTLSVerify: boolean;
  /** What the condition Available says; undefined before the first check. */
  readonly condition: AvailableCondition | undefined;
}

export interface AvailableCondition {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The APIServices at one time. */
export interface ApiServiceTable {
  /** By group version. */
  readonly remotes: ReadonlyMap<string, RemoteApi>;
  /** The groups that have an APIService, in the order that discovery shows them. */
  readonly order: readonly GroupOrder[];
}

/** The versions of a group that have an APIService, preferred first. */
export interface GroupOrder {
  readonly group: string;
  readonly priority: number;
  readonly versions: readonly string[];
}

const DEFAULT_PORT = 443;
export const AVAILABLE = "Available";

export function apiServiceTable(apiServices: readonly ReceivedObject<APIService>[]): ApiServiceTable {
  const remotes = new Map<string, RemoteApi>();
  const groups = new Map<string, { priority: number; readonly versions: { name: string; priority: number }[] }>();
  for (const apiService of apiServices) {
    const spec = object(apiService.spec);
    const group = text(spec.group);
    const known = groups.get(group) ?? { priority: 0, versions: [] };
    known.priority = Math.max(known.priority, number(spec.groupPriorityMinimum));
    known.versions.push({ name: text(spec.version), priority: number(spec.versionPriority) });
    groups.set(group, known);
    const remote = remoteApiOf(apiService);
    if (remote !== undefined) remotes.set(remote.groupVersion, remote);
  }
  const order = [...groups].map(([group, { priority, versions }]) => ({
    group,
    priority,
    versions: versions
      .toSorted((a, b) => b.priority - a.priority || compareVersions(a.name, b.name))
      .map(({ name }) => name),
  }));
  return { remotes, order: order.toSorted(byPriority) };
}

/** Groups of the same priority stand in the order of their names, as kube-aggregator has them. */
const byPriority = (a: GroupOrder, b: GroupOrder): number => b.priority - a.priority || (a.group < b.group ? -1 : 1);

/** The API that an APIService delegates to its service; undefined for one that the server itself serves. */
export function remoteApiOf({ metadata, spec: given, status }: ReceivedObject<APIService>): RemoteApi | undefined {
  const spec = object(given);
  if (absent(spec.service)) return undefined;
  const { namespace, name, port } = object(spec.service);
  const [group, version] = [text(spec.group), text(spec.version)];
  return {
    name: metadata?.name ?? "",
    group,
    version,
    groupVersion: formatGroupVersion({ group, version }),
    service: { namespace: text(namespace), name: text(name), port: number(port) || DEFAULT_PORT },
    caBundle: text(spec.caBundle),
    insecureSkipTLSVerify: spec.insecureSkipTLSVerify === true,
    condition: availableCondition(object(status)),
  };
}

/** The condition Available in the status of an APIService; undefined where it has none. */
function availableCondition(status: Received<APIServiceStatus>): AvailableCondition | undefined {
  const found = objects(status.conditions).find(({ type }) => type === AVAILABLE);
  return found && { status: found.status ?? "Unknown", reason: text(found.reason), message: text(found.message) };
}

/**
 * Returns the APIService with the condition Available. If the condition's status does not change, it keeps its transition time. `now` is
 * milliseconds since the epoch.
 */
export function withCondition(
  apiService: ReceivedObject<APIService>,
  condition: AvailableCondition,
  now: number,
): ReceivedObject<APIService> {
  const status = object(apiService.status);
  const known = objects(status.conditions);
  const before = known.find(({ type }) => type === AVAILABLE);
  const isSame = before !== undefined && text(before.status) === condition.status;
  const lastTransitionTime = isSame ? before.lastTransitionTime : `${new Date(now).toISOString().slice(0, 19)}Z`;
  const made = { type: AVAILABLE, ...condition, lastTransitionTime } satisfies FieldsOf<APIServiceCondition>;
  const conditions = before === undefined ? [...known, made] : known.map((one) => (one === before ? made : one));
  return { ...apiService, status: { ...status, conditions } };
}

/** The path below which a group version is served: "/apis/metrics.k8s.io/v1beta1", "/api/v1". */
export const pathOf = ({ group, version }: Pick<RemoteApi, "group" | "version">): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;

/** Finds the fault of an APIService's Service; undefined where there is none. Source: kube-aggregator's remote_available_controller. */
export function serviceFault(
  { service: { namespace, name, port } }: RemoteApi,
  service: ReceivedObject<Service> | undefined,
): AvailableCondition | undefined {
  const at = `service/${name} in ${goQuote(namespace)}`;
  if (service === undefined) return { status: "False", reason: "ServiceNotFound", message: `${at} is not present` };
  if (!hasClusterIp(service) || servicePortOf(service, port) !== undefined) return undefined;
  return { status: "False", reason: "ServicePortError", message: `${at} is not listening on port ${port}` };
}

/** Whether a Service has the type ClusterIP, or none. Only for such a Service the ports and the endpoints decide where it leads. */
export const hasClusterIp = ({ spec }: ReceivedObject<Service>): boolean =>
  ["", "ClusterIP"].includes(text(object(spec).type));

/** The entry of a port's number in the Service. */
export const servicePortOf = ({ spec }: ReceivedObject<Service>, port: number) =>
  objects(object(spec).ports).find((one) => one.port === port);
