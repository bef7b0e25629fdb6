import type { Service } from "../../api/types/core/v1.js";
import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { standInErrorOf } from "../../machinery/wire/streams/stand-in-end.js";
import { object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { CallDeadline } from "../webhook/call-deadline.js";
import type { ServiceObjects } from "../webhook/service-address.js";
import {
  type AvailableCondition,
  hasClusterIp,
  pathOf,
  type RemoteApi,
  serviceFault,
  servicePortOf,
} from "../builtin/apiregistration/remote-apis.js";
import { AGGREGATOR } from "./remote-discovery.js";
import { type RemoteServer, urlOf } from "./remote-server.js";

/** How long a server may take to answer a check, in milliseconds; kube-aggregator's limit. */
const LONGEST_CHECK = 5000;
/** Checks at once, of which one must succeed; kube-aggregator's number. */
const ATTEMPTS = 5;
/** Bytes that are read of a server's list of resources. */
const LARGEST = 16 * 2 ** 20;

/** The parts on which the check of a service's availability depends. */
export interface AvailabilityParts {
  readonly objects: ServiceObjects;
  readonly signal: AbortSignal;
}

/**
 * Checks whether the server of an APIService can be reached: its service, its endpoints, and its own answer. Source:
 * kube-aggregator's remote_available_controller.
 */
export async function checkAvailability(
  api: RemoteApi,
  server: RemoteServer,
  { objects: all, signal }: AvailabilityParts,
): Promise<AvailableCondition> {
  const { namespace, name } = api.service;
  let service: ReceivedObject<Service> | undefined;
  try {
    service = await all.get("", "services", namespace, name);
  } catch (error) {
    return {
      status: "Unknown",
      reason: "ServiceAccessError",
      message: `service/${name} in ${goQuote(namespace)} cannot be checked due to: ${errorMessage(error)}`,
    };
  }
  const missing = serviceFault(api, service) ?? (await endpointsFault(api, service, all));
  if (missing !== undefined) return missing;
  const failure = await firstSuccess(ATTEMPTS, () => answerFault(api, server, signal));
  if (failure !== undefined) return { status: "False", reason: "FailedDiscoveryCheck", message: failure };
  return { status: "True", reason: "Passed", message: "all checks passed" };
}

async function endpointsFault(
  { service: { namespace, name, port } }: RemoteApi,
  service: ReceivedObject<Service> | undefined,
  all: ServiceObjects,
): Promise<AvailableCondition | undefined> {
  if (service === undefined || !hasClusterIp(service)) return undefined;
  const at = `service/${name} in ${goQuote(namespace)}`;
  const inNamespace: readonly ReceivedObject<EndpointSlice>[] = await all.list(
    "discovery.k8s.io",
    "endpointslices",
    namespace,
  );
  const slices = inNamespace.filter(({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === name);
  if (slices.length === 0) {
    return { status: "False", reason: "EndpointsNotFound", message: `cannot find endpointslices for ${at}` };
  }
  const portName = text(servicePortOf(service, port)?.name);
  const isReady = slices.some(
    ({ endpoints, ports }) =>
      objects(endpoints).some(({ conditions }) => object(conditions).ready !== false) &&
      objects(ports).some((one) => text(one.name) === portName && typeof one.port === "number"),
  );
  if (isReady) return undefined;
  const message = `endpointslices for ${at} have no addresses with port name ${goQuote(portName)}`;
  return { status: "False", reason: "MissingEndpoints", message };
}

/** The last failure of several attempts; undefined as soon as one succeeds. */
async function firstSuccess(attempts: number, attempt: () => Promise<string | undefined>): Promise<string | undefined> {
  let failure: string | undefined;
  const failing = Array.from({ length: attempts }, async () => {
    const failed = await attempt();
    if (failed === undefined) return;
    failure = failed;
    throw new Error(failed);
  });
  return Promise.any(failing).then(
    () => undefined,
    () => failure,
  );
}

/** Why the server does not answer for the group version; undefined where it does. */
async function answerFault(api: RemoteApi, server: RemoteServer, ending: AbortSignal): Promise<string | undefined> {
  let url: string;
  try {
    url = urlOf(await server.locate(), pathOf(api));
  } catch (error) {
    return errorMessage(error);
  }
  const deadline = new CallDeadline(LONGEST_CHECK, ending);
  try {
    const { status } = await server.read({ path: pathOf(api), headers: AGGREGATOR, signal: deadline.signal }, LARGEST);
    if (status >= 200 && status <= 299) return undefined;
    return `failing or missing response from ${url}: bad status from ${url}: ${status}`;
  } catch (error) {
    const standIn = standInErrorOf(error);
    if (standIn !== undefined) return `failing or missing response from ${url}: ${standIn.what}`;
    const late = deadline.signal.aborted ? " (Client.Timeout exceeded while awaiting headers)" : "";
    return `failing or missing response from ${url}: Get ${goQuote(url)}: ${errorMessage(error)}${late}`;
  } finally {
    deadline.clear();
  }
}
