import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import { parseGoBool } from "../../base/go-bool.js";
import type { FlagSpec } from "../../cli/flags/flag-set.js";

/** --runtime-config, as kube-apiserver has it. */
export const runtimeConfigFlag: FlagSpec = {
  name: "runtime-config",
  type: "stringSlice",
  default: "[]",
  usage:
    "API versions to serve or not to serve, as key=true or key=false: a version (resource.k8s.io/v1beta1) or api/alpha, api/beta, api/ga, api/all. The stable versions are served unless told otherwise.",
};

/** "group/version" or a class of versions, to on or off. Throws a usage error for what is neither. */
export function runtimeConfigOf(invocation: Invocation): Readonly<Record<string, boolean>> {
  const config: Record<string, boolean> = {};
  for (const entry of invocation.flags.strings("runtime-config")) {
    const [key = "", value = "true"] = entry.split("=");
    const enabled = value === "" ? true : parseGoBool(value);
    if (enabled === undefined || !/^(api\/(all|ga|beta|alpha)|v1|[a-z0-9.-]+\/v[0-9][a-z0-9]*)$/.test(key)) {
      throw usageError(
        invocation,
        `invalid value "${entry}" for --runtime-config: use group/version=true|false, or api/all, api/ga, api/beta or api/alpha`,
      );
    }
    config[key] = enabled;
  }
  return config;
}
