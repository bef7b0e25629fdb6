import type { Invocation } from "./command.js";
import { usageError } from "./errors.js";
import { servedVersionOf } from "../machinery/served-versions.js";
import { errorMessage } from "../base/text/error-message.js";
import { flagOf } from "../component/apiserver-flags/flag-of.js";
import { ownSection } from "../component/apiserver-flags/own.js";
import type { FlagSpec } from "../component/flags/flag-set.js";

/** --kubernetes-version, for commands that start a server. */
export const kubernetesVersionFlag: FlagSpec = flagOf(ownSection, "kubernetes-version");

/** The minor version that {@link kubernetesVersionFlag} names; undefined where it is not given. Throws a usage error for one that is not served. */
export function kubernetesVersionOf(invocation: Invocation): string | undefined {
  const text = invocation.flags.string("kubernetes-version");
  if (text === "") return undefined;
  try {
    return servedVersionOf(text);
  } catch (error) {
    throw usageError(invocation, errorMessage(error));
  }
}
