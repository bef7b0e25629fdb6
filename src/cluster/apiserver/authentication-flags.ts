import type { Flags } from "../../component/flags/flag-set.js";
import type { AuthenticationOptions } from "../options/authentication-options.js";

/** Reads what kube-apiserver's flags say about authentication. `file` makes a path that the process can open, "" of "". */
export function readAuthentication(flags: Flags, file: (name: string) => string): AuthenticationOptions {
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
