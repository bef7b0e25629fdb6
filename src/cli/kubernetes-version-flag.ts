import type { Invocation } from "./command.js";
import { usageError } from "./errors.js";
import { servedVersionOf } from "../machinery/served-versions.js";
import { errorMessage } from "../base/text/error-message.js";
import { flagOf } from "../component/apiserver-flags/flag-of.js";
import { emulationFaults, emulationOptions, type VersionOptions } from "../component/apiserver-flags/emulation.js";
import { genericSection } from "../component/apiserver-flags/generic.js";
import { readOptions } from "../component/option-group.js";
import { ownSection } from "../component/apiserver-flags/own.js";
import type { FlagSpec } from "../component/flags/flag-set.js";

/** --kubernetes-version, for commands that start a server. */
export const kubernetesVersionFlag: FlagSpec = flagOf(ownSection, "kubernetes-version");

/** --emulated-version and --min-compatibility-version, for commands that start a server. */
export const emulationFlags: readonly FlagSpec[] = [
  flagOf(genericSection, "emulated-version"),
  flagOf(genericSection, "min-compatibility-version"),
];

/**
 * Returns the versions that the flags choose for a server: the one that it is, and the one that it emulates. Throws a usage error
 * for a version that kubets does not support.
 */
export function versionOptionsOf(invocation: Invocation): VersionOptions {
  const { emulation } = readOptions(emulationOptions, invocation.flags, "");
  const kubernetesVersion = kubernetesVersionOf(invocation);
  const version = { ...(kubernetesVersion !== undefined && { kubernetesVersion }), ...(emulation && { emulation }) };
  const [fault] = emulationFaults(version);
  if (fault !== undefined) throw usageError(invocation, fault);
  return version;
}

/** The minor version that {@link kubernetesVersionFlag} names; undefined where it is not given. */
function kubernetesVersionOf(invocation: Invocation): string | undefined {
  const text = invocation.flags.string("kubernetes-version");
  if (text === "") return undefined;
  try {
    return servedVersionOf(text);
  } catch (error) {
    throw usageError(invocation, errorMessage(error));
  }
}
