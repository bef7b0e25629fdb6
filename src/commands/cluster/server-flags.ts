import type { Invocation, Completer } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import {
  admissionFlags,
  admissionOf,
  authenticationFlags,
  authenticationOf,
  authorizationFlags,
  authorizationOf,
  electionFlags,
  electionOf,
  runtimeConfigFlag,
  runtimeConfigOf,
  serverNameFlag,
  serverNameOf,
} from "./api-server-flags.js";
import {
  imageScriptsFlag,
  imageScriptsOf,
  imagesFlag,
  standInOf,
  forwardFlags,
  forwardsOf,
  loadBalancerAddressesOf,
  loadBalancerFlag,
  nodesFlag,
  nodesOf,
} from "./node-flags.js";
import { emulationFlags, kubernetesVersionFlag, versionOptionsOf } from "../../cli/kubernetes-version-flag.js";
import { maxObjectBytesFlag, maxObjectBytesOf, storageMediaTypeFlag, storageMediaTypeOf } from "./storage-flag.js";
import { errorMessage } from "../../base/text/error-message.js";
import { controllerNames, controllersOffByDefault, enabledControllers } from "../../api/controllers/index.js";
import { NO_FILE_COMP, NO_SPACE } from "../../cli/completion/directive.js";
import { usageError } from "../../cli/errors.js";

/** --controllers, as kube-controller-manager has it. */
const controllersFlag: FlagSpec = {
  name: "controllers",
  type: "stringSlice",
  default: "[*]",
  usage: `The controllers to run, for this start: * is all of them, NAME that one, -NAME not that one. A list without * runs only what it names, an empty one nothing. There are: ${controllerNames.join(", ")}. * leaves out: ${controllersOffByDefault.join(", ")}.`,
};

/** Undefined when the flag does not say. Throws a usage error for a controller there is none of. */
function controllersOf(invocation: Invocation): readonly string[] | undefined {
  if (!invocation.flags.changed("controllers")) return undefined;
  const entries = invocation.flags.strings("controllers");
  try {
    enabledControllers(entries);
  } catch (error) {
    throw usageError(invocation, errorMessage(error));
  }
  return entries;
}

/** Completes the last name in the list of --controllers. */
export const completeControllers: Completer = (_factory, _invocation, toComplete) => {
  const [, before = "", minus = "", word = ""] = /^(.*,)?(-?)([^,]*)$/.exec(toComplete) ?? [];
  const names = minus === "" ? ["*", ...controllerNames] : controllerNames;
  const candidates = names.filter((name) => name.startsWith(word)).map((name) => before + minus + name);
  return Promise.resolve({ candidates, directive: NO_SPACE | NO_FILE_COMP });
};

export type ServerChoice = import("../../cluster/named/server-choice.js").ServerChoice;

/** The flags for the server of a cluster, for one start; the number of nodes is not among them. */
export const serverFlags: readonly FlagSpec[] = [
  kubernetesVersionFlag,
  ...emulationFlags,
  storageMediaTypeFlag,
  maxObjectBytesFlag,
  runtimeConfigFlag,
  controllersFlag,
  ...electionFlags,
  ...admissionFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  nodesFlag,
  imagesFlag,
  imageScriptsFlag,
  ...forwardFlags,
  loadBalancerFlag,
  serverNameFlag,
];

/** The options that {@link serverFlags} set. Throws a usage error for an invalid combination. */
export function serverChoiceOf(factory: Factory, invocation: Invocation): ServerChoice {
  const controllers = controllersOf(invocation);
  const admission = admissionOf(factory, invocation);
  const authentication = authenticationOf(factory, invocation);
  const authorization = authorizationOf(factory, invocation);
  const loadBalancerAddresses = loadBalancerAddressesOf(invocation);
  const serverName = serverNameOf(invocation);
  const version = versionOptionsOf(invocation);
  const nodes = nodesOf(invocation);
  const imageScripts = imageScriptsOf(factory, invocation);
  return {
    ...version,
    storageMediaType: storageMediaTypeOf(invocation),
    maxObjectBytes: maxObjectBytesOf(invocation),
    runtimeConfig: runtimeConfigOf(invocation),
    ...(controllers && { controllers }),
    ...electionOf(invocation),
    ...(admission && { admission }),
    ...(authentication && { authentication }),
    ...(authorization && { authorization }),
    ...(nodes !== undefined && { nodes }),
    standIn: standInOf(invocation),
    ...(imageScripts !== undefined && { imageScripts }),
    ...forwardsOf(invocation),
    ...(loadBalancerAddresses !== undefined && { loadBalancerAddresses }),
    ...(serverName !== undefined && { serverName }),
  };
}
