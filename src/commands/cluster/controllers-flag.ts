import { errorMessage } from "../../base/text/error-message.js";
import { controllerNames, controllersOffByDefault, enabledControllers } from "../../api/controllers/index.js";
import type { Completer, Invocation } from "../../cli/command.js";
import { NO_FILE_COMP, NO_SPACE } from "../../cli/completion/directive.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** --controllers, as kube-controller-manager has it. */
export const controllersFlag: FlagSpec = {
  name: "controllers",
  type: "stringSlice",
  default: "[*]",
  usage: `The controllers to run, for this start: * is all of them, NAME that one, -NAME not that one. A list without * runs only what it names, an empty one nothing. There are: ${controllerNames.join(", ")}. * leaves out: ${controllersOffByDefault.join(", ")}.`,
};

/** Undefined when the flag does not say. Throws a usage error for a controller there is none of. */
export function controllersOf(invocation: Invocation): readonly string[] | undefined {
  if (!invocation.flags.changed("controllers")) return undefined;
  const entries = invocation.flags.strings("controllers");
  try {
    enabledControllers(entries);
  } catch (error) {
    throw usageError(invocation, errorMessage(error));
  }
  return entries;
}

/** The names that the last word of the list may become. */
export const completeControllers: Completer = (_factory, _invocation, toComplete) => {
  const [, before = "", minus = "", word = ""] = /^(.*,)?(-?)([^,]*)$/.exec(toComplete) ?? [];
  const names = minus === "" ? ["*", ...controllerNames] : controllerNames;
  const candidates = names.filter((name) => name.startsWith(word)).map((name) => before + minus + name);
  return Promise.resolve({ candidates, directive: NO_SPACE | NO_FILE_COMP });
};
