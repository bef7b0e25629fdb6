import type {
  AuthenticationConfiguration,
  JwtAuthenticatorConfiguration,
} from "../../server/authn/configuration/authentication-configuration.js";
import type { OidcOptions } from "../options/authentication-options.js";

/** The configuration that the flags --oidc-* stand for. `certificateAuthority` is what their file of authorities holds, or "". */
export function oidcConfiguration(options: OidcOptions, certificateAuthority: string): AuthenticationConfiguration {
  const { issuerUrl: url, clientId, usernameClaim = "sub", groupsClaim = "", groupsPrefix = "" } = options;
  const jwt: JwtAuthenticatorConfiguration = {
    issuer: { url, audiences: [clientId], ...(certificateAuthority !== "" && { certificateAuthority }) },
    claimValidationRules: Object.entries(options.requiredClaims ?? {}).map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
    })),
    claimMappings: {
      username: { claim: usernameClaim, prefix: usernamePrefix(options, usernameClaim) },
      ...(groupsClaim !== "" && { groups: { claim: groupsClaim, prefix: groupsPrefix } }),
    },
  };
  return { jwt: [jwt] };
}

/** Without a prefix, two issuers could name one user; an e-mail address is one user everywhere. */
function usernamePrefix({ usernamePrefix: prefix = "", issuerUrl }: OidcOptions, claim: string): string {
  if (prefix === "-") return "";
  return prefix === "" && claim !== "email" ? `${issuerUrl}#` : prefix;
}
