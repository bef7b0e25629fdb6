import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { authenticationSection } from "../../component/apiserver-flags/authentication.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

type AuthenticationOptions = import("../../cluster/options/authentication-options.js").AuthenticationOptions;

/** Who may use the cluster beside its administrator and service accounts, as kube-apiserver has it. */
export const authenticationFlags: readonly FlagSpec[] = [
  flagOf(authenticationSection, "authentication-config"),
  flagOf(authenticationSection, "token-auth-file"),
];

/** Undefined where no flag says anything. */
export function authenticationOf({ cwd }: Factory, { flags }: Invocation): AuthenticationOptions | undefined {
  const [configFile, tokenFile] = [flags.string("authentication-config"), flags.string("token-auth-file")];
  if (configFile === "" && tokenFile === "") return undefined;
  return {
    ...(configFile !== "" && { configFile: resolve(cwd, configFile) }),
    ...(tokenFile !== "" && { tokenFile: resolve(cwd, tokenFile) }),
  };
}
