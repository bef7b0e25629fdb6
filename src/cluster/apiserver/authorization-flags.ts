import type { Flags } from "../../component/flags/flag-set.js";
import type { AuthorizationOptions } from "../options/authorization-options.js";

const WEBHOOK_FLAGS = [
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
];

/**
 * Reads what the flags of kube-apiserver say about authorization. Whether they fit together, and which modes there are, the server says. `file`
 * gives the file that a flag names, "" for none.
 */
export function readAuthorization(flags: Flags, file: (flag: string) => string): AuthorizationOptions {
  const configFile = file("authorization-config");
  const policyFile = file("authorization-policy-file");
  const modes = flags.strings("authorization-mode") as NonNullable<AuthorizationOptions["modes"]>;
  const hasWebhook = WEBHOOK_FLAGS.some((flag) => flags.changed(flag));
  return {
    ...(configFile !== "" && { configFile }),
    ...(policyFile !== "" && { policyFile }),
    ...(modes.length > 0 && { modes }),
    ...(modes.length === 0 && configFile === "" && { modes: ["AlwaysAllow"] }),
    ...(hasWebhook && { webhook: webhookOf(flags, file) }),
  };
}

const webhookOf = (flags: Flags, file: (flag: string) => string): NonNullable<AuthorizationOptions["webhook"]> => ({
  kubeconfig: file("authorization-webhook-config-file"),
  version: flags.string("authorization-webhook-version") as "v1" | "v1beta1",
  authorizedTtl: flags.duration("authorization-webhook-cache-authorized-ttl"),
  unauthorizedTtl: flags.duration("authorization-webhook-cache-unauthorized-ttl"),
});
