import { errorMessage } from "../../base/text/error-message.js";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { readRuntimeConfig } from "../../component/flags/runtime-config.js";

/** --runtime-config, as kube-apiserver has it. */
export const runtimeConfigFlag: FlagSpec = {
  name: "runtime-config",
  type: "stringSlice",
  default: "[]",
  usage:
    "API versions to serve or not to serve, as key=true or key=false: a version (resource.k8s.io/v1beta1) or api/alpha, api/beta, api/ga, api/all. The stable versions are served by default. apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 removed, is served when it is named.",
};

/** "group/version" or a class of versions, to on or off. Throws a usage error for what is neither. */
export function runtimeConfigOf(invocation: Invocation): Readonly<Record<string, boolean>> {
  try {
    return readRuntimeConfig(invocation.flags.strings("runtime-config"));
  } catch (error) {
    throw usageError(invocation, errorMessage(error));
  }
}
