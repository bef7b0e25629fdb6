import type { Flags } from "../../cli/flags/flag-set.js";

type AuthenticationOptions = import("../../cluster/options/authentication-options.js").AuthenticationOptions;

/** What kube-apiserver's flags say about authentication. `file` makes a path that the process can open, "" of "". */
export function authenticationOf(flags: Flags, file: (name: string) => string): AuthenticationOptions {
  const [tokenFile, configFile, webhook, proxyCa] = [
    file("token-auth-file"),
    file("authentication-config"),
    file("authentication-token-webhook-config-file"),
    file("requestheader-client-ca-file"),
  ];
  const hasOidc = OIDC_FLAGS.some((name) => flags.changed(name));
  return {
    ...(tokenFile !== "" && { tokenFile }),
    ...(configFile !== "" && { configFile }),
    ...(flags.changed("anonymous-auth") && { anonymous: flags.bool("anonymous-auth") }),
    bootstrapTokens: flags.bool("enable-bootstrap-token-auth"),
    ...(hasOidc && { oidc: oidcOf(flags, file("oidc-ca-file")) }),
    ...(webhook !== "" && {
      webhook: {
        configFile: webhook,
        version: flags.string("authentication-token-webhook-version"),
        cacheTtl: flags.duration("authentication-token-webhook-cache-ttl"),
      },
    }),
    ...(proxyCa !== "" && {
      requestHeader: {
        clientCaFile: proxyCa,
        allowedNames: flags.strings("requestheader-allowed-names"),
        usernameHeaders: flags.strings("requestheader-username-headers"),
        uidHeaders: flags.strings("requestheader-uid-headers"),
        groupHeaders: flags.strings("requestheader-group-headers"),
        extraHeadersPrefixes: flags.strings("requestheader-extra-headers-prefix"),
      },
    }),
  };
}

const OIDC_FLAGS = [
  "oidc-ca-file",
  "oidc-client-id",
  "oidc-groups-claim",
  "oidc-groups-prefix",
  "oidc-issuer-url",
  "oidc-required-claim",
  "oidc-signing-algs",
  "oidc-username-claim",
  "oidc-username-prefix",
];

function oidcOf(flags: Flags, caFile: string): NonNullable<AuthenticationOptions["oidc"]> {
  const claims = flags.strings("oidc-required-claim").map((pair): [string, string] => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  return {
    issuerUrl: flags.string("oidc-issuer-url"),
    clientId: flags.string("oidc-client-id"),
    ...(caFile !== "" && { caFile }),
    usernameClaim: flags.string("oidc-username-claim"),
    usernamePrefix: flags.string("oidc-username-prefix"),
    groupsClaim: flags.string("oidc-groups-claim"),
    groupsPrefix: flags.string("oidc-groups-prefix"),
    signingAlgorithms: flags.strings("oidc-signing-algs"),
    requiredClaims: Object.fromEntries(claims),
  };
}

type AuthorizationOptions = import("../../cluster/envtest/api-server.js").ApiServerOptions["authorization"];

const WEBHOOK_FLAGS = [
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
];

/**
 * What the flags of kube-apiserver say about authorization. Whether they fit together, and which modes there are, the server says. `file`
 * gives the file that a flag names, "" for none.
 */
export function authorizationOf(flags: Flags, file: (flag: string) => string): AuthorizationOptions {
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
