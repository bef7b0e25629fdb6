import { errorMessage } from "../../base/text/error-message.js";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import { apiEnablementSection } from "../../component/apiserver-flags/api-enablement.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import { readRuntimeConfig } from "../../component/flags/runtime-config.js";

/** --runtime-config, as kube-apiserver has it. */
export const runtimeConfigFlag = flagOf(apiEnablementSection, "runtime-config");

/** "group/version" or a class of versions, to on or off. Throws a usage error for what is neither. */
export function runtimeConfigOf(invocation: Invocation): Readonly<Record<string, boolean>> {
  try {
    return readRuntimeConfig(invocation.flags.strings("runtime-config"));
  } catch (error) {
    throw usageError(invocation, errorMessage(error));
  }
}
