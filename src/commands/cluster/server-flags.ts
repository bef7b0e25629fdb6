import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../cli/flags/flag-set.js";
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
import { controllersFlag, controllersOf } from "./controllers-flag.js";
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
import { maxObjectBytesFlag, maxObjectBytesOf, storageMediaTypeFlag, storageMediaTypeOf } from "./storage-flag.js";

export type ServerChoice = import("../../cluster/named/server-choice.js").ServerChoice;

/** How the server of a cluster runs, for one start; the number of nodes stays. */
export const serverFlags: readonly FlagSpec[] = [
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

/** What {@link serverFlags} say. Throws a usage error for what cannot be right. */
export function serverChoiceOf(factory: Factory, invocation: Invocation): ServerChoice {
  const controllers = controllersOf(invocation);
  const admission = admissionOf(factory, invocation);
  const authentication = authenticationOf(factory, invocation);
  const authorization = authorizationOf(factory, invocation);
  const loadBalancerAddresses = loadBalancerAddressesOf(invocation);
  const serverName = serverNameOf(invocation);
  const nodes = nodesOf(invocation);
  const imageScripts = imageScriptsOf(factory, invocation);
  return {
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
