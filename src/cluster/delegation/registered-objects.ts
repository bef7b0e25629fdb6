import { isDeepStrictEqual } from "node:util";
import { errorMessage } from "../../base/text/error-message.js";
import { areDriven, type Timers } from "../../base/time/timers.js";
import { withTimeLimit } from "../../base/time/time-limit.js";
import type { CallOptions } from "../../client/dynamic/resource-client.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import {
  formatGroupResource,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
} from "../../machinery/errors/status-error.js";
import { object } from "../../machinery/meta/access.js";
import type { GroupVersion, GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { LONGEST_REVIEW } from "./main-server.js";

/** The Service by which a main server reaches another server. */
export interface RegisteredService {
  readonly namespace: string;
  readonly name: string;
}

/** The facts about an extension server that it registers at a main server. */
export interface Registered {
  /** The name of the server. */
  readonly server: string;
  readonly service: RegisteredService;
  /** The name by which the main server reaches it, and the port. */
  readonly host: string;
  readonly port: number;
  /** Certificates that verify the server's, PEM. */
  readonly caBundle: string;
  readonly groupPriorityMinimum: number;
  /** Of the first version of each group; each later version has one less. */
  readonly versionPriority: number;
  /** The group versions in the order of their preference. */
  readonly versions: readonly GroupVersion[];
}

const NAMESPACES = { group: "", version: "v1", resource: "namespaces" };
const SERVICES = { group: "", version: "v1", resource: "services" };
const API_SERVICES = { group: "apiregistration.k8s.io", version: "v1", resource: "apiservices" };

/** The annotation of a Service that a server made: the server's name. */
const MADE_BY = "kubets.dev/registered-by";

/** How often a write is tried that others are quicker than. */
const ATTEMPTS = 5;

/** The client and the timers with which a server registers itself at a main server. */
export interface RegistrationWay {
  readonly client: KubernetesClient;
  readonly timers: Timers;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/**
 * Creates or updates the Namespace, the Service and the APIServices by which a main server finds another server; objects that are
 * up to date stay as they are. Rejects for a Service or an APIService that was made for another target, and where a right is
 * missing.
 */
export async function writeRegistered(way: RegistrationWay, registered: Registered): Promise<void> {
  const { server, service, host } = registered;
  const of = { ...way, service };
  await ensure(of, NAMESPACES, {
    wanted: { apiVersion: "v1", kind: "Namespace", metadata: { name: service.namespace } },
    change: () => undefined,
  });
  await ensure(of, SERVICES, {
    wanted: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...service, annotations: { [MADE_BY]: server } },
      spec: { type: "ExternalName", externalName: host },
    },
    change: (found) => changedService(found, registered),
  });
  for (const { group, version } of registered.versions) {
    const spec = specOf(registered, { group, version });
    const name = `${version}.${group}`;
    await ensure(of, API_SERVICES, {
      wanted: { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name }, spec },
      change: (found) => changedApiService(found, spec, service),
    });
  }
}

function specOf(
  { service, port, caBundle, groupPriorityMinimum, versionPriority, versions }: Registered,
  { group, version }: GroupVersion,
): Readonly<Record<string, unknown>> {
  const ofGroup = versions.filter((one) => one.group === group);
  const place = ofGroup.findIndex((one) => one.version === version);
  return {
    group,
    version,
    groupPriorityMinimum,
    versionPriority: Math.max(1, versionPriority - place),
    caBundle: Buffer.from(caBundle).toString("base64"),
    service: { ...service, port },
  };
}

function changedService(found: KubeObject, { server, service, host }: Registered): KubeObject | undefined {
  const { type = "ClusterIP", externalName } = object(found["spec"]);
  if (type === "ExternalName" && externalName === host) return undefined;
  if (type === "ExternalName" && found.metadata?.annotations?.[MADE_BY] === server) {
    return { ...found, spec: { ...object(found["spec"]), externalName: host } };
  }
  const what = type === "ExternalName" ? `leads to ${String(externalName)}` : `is of type ${String(type)}`;
  throw new Error(
    `the Service "${service.namespace}/${service.name}" of the main server ${what}, and was made by somebody else: delete it, or register with a service of another name`,
  );
}

function changedApiService(
  found: KubeObject,
  spec: Readonly<Record<string, unknown>>,
  wanted: RegisteredService,
): KubeObject | undefined {
  const old = object(found["spec"]);
  const name = found.metadata?.name ?? "";
  if (old["service"] === undefined) {
    throw new Error(
      `the APIService "${name}" says that the main server itself serves this group version: no other server can register it`,
    );
  }
  const service = object(old["service"]);
  if (service["namespace"] !== wanted.namespace || service["name"] !== wanted.name) {
    const [there, here] = [`${String(service["namespace"])}/${String(service["name"])}`, nameOf(wanted)];
    throw new Error(
      `the APIService "${name}" of the main server leads to the service "${there}", and this server registers with "${here}": delete the APIService, or register with that service`,
    );
  }
  return isDeepStrictEqual({ ...old, service: { ...service } }, spec) ? undefined : { ...found, spec };
}

interface Way extends RegistrationWay {
  readonly service: RegisteredService;
}

interface Ensured {
  readonly wanted: KubeObject;
  /** Returns what to write in place of what is there; undefined where that is right. */
  change(found: KubeObject): KubeObject | undefined;
}

async function ensure(way: Way, resource: GroupVersionResource, { wanted, change }: Ensured): Promise<void> {
  const { name = "", namespace = "" } = wanted.metadata ?? {};
  const all = way.client.resource(resource).namespace(namespace);
  const to = { ...way, resource, name };
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === ATTEMPTS;
    const found = await explained("get", to, (options) =>
      all.get(name, options).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      }),
    );
    const next = found && change(found);
    if (found !== undefined && next === undefined) return;
    try {
      if (next === undefined) await explained("create", to, (options) => all.create(wanted, options));
      else await explained("update", to, (options) => all.update(next, options));
      return;
    } catch (error) {
      const { cause } = error as Error;
      if (isLast || !(isAlreadyExists(cause) || isConflict(cause))) throw error;
    }
  }
}

interface Target extends Way {
  readonly resource: GroupVersionResource;
  readonly name: string;
}

/** Rejects with the verb and the resource in front of the reason, and with the missing rights where that is one. */
async function explained<T>(
  verb: string,
  { service, resource, name, timers, signal }: Target,
  run: (options: CallOptions) => Promise<T>,
): Promise<T> {
  try {
    // Where a test drives time, none passes while an answer is awaited.
    if (areDriven(timers)) return await run({ signal });
    return await withTimeLimit({ timers, milliseconds: LONGEST_REVIEW, signal }, (ending) => run({ signal: ending }));
  } catch (error) {
    const what = `cannot ${verb} ${formatGroupResource(resource)} "${name}" of the main server: ${errorMessage(error)}`;
    throw new Error(isForbidden(error) ? `${what}; ${rightsOf(service)}` : what, { cause: error });
  }
}

const rightsOf = ({ namespace }: RegisteredService): string =>
  `to register, the account of coreApi (--kubeconfig) needs the verbs get and create of namespaces, get, create and update of services in the namespace "${namespace}", and get, create and update of apiservices.apiregistration.k8s.io`;

const nameOf = ({ namespace, name }: RegisteredService): string => `${namespace}/${name}`;
