import { holdsControls } from "../../base/text/inert-text.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import type { Completer } from "../command.js";
import { NO_FILE_COMP } from "./directive.js";
import { objectNames } from "./resource-names.js";

type Section = "contexts" | "clusters" | "users";

/** Names out of the kubeconfig, in the order of the alphabet. */
function fromKubeconfig(section: Section): Completer {
  return async (factory, _invocation, toComplete) => {
    const config: Kubeconfig = await factory.rawConfig();
    const names = [...config[section].keys()].filter((name) => name.startsWith(toComplete) && !holdsControls(name));
    return { candidates: names.sort(), directive: NO_FILE_COMP };
  };
}

export const completeContexts = fromKubeconfig("contexts");
export const completeClusters = fromKubeconfig("clusters");
export const completeUsers = fromKubeconfig("users");

export const completeNamespaces: Completer = async (factory, _invocation, toComplete) => {
  const names = await objectNames(factory, "namespaces");
  return { candidates: names.filter((name) => name.startsWith(toComplete)), directive: NO_FILE_COMP };
};

/** For commands whose only operand is such a name. */
export function firstOperand(completer: Completer): Completer {
  return (factory, invocation, toComplete) =>
    invocation.args.length === 0
      ? completer(factory, invocation, toComplete)
      : Promise.resolve({ candidates: [], directive: NO_FILE_COMP });
}
