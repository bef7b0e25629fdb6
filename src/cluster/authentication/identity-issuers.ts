import { isDeepStrictEqual } from "node:util";
import { errorMessage } from "../../base/text/error-message.js";
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm, isSignatureAlgorithm } from "../../machinery/crypto/jwt/jws.js";
import type { EgressDialers } from "../../client/transport/dial.js";
import { type FieldError, forbiddenField, formatFieldErrors } from "../../machinery/errors/field-error.js";
import {
  type Anonymous,
  anonymousEverywhere,
  anonymousNowhere,
  anonymousOn,
} from "../../server/authn/authentication.js";
import {
  type AnonymousConfiguration,
  type AuthenticationConfiguration,
  decodeAuthenticationConfiguration,
  type JwtAuthenticatorConfiguration,
} from "../../server/authn/configuration/authentication-configuration.js";
import { validateAuthenticationConfiguration } from "../../server/authn/configuration/validate.js";
import { JwtAuthenticators } from "../../server/authn/oidc/jwt-authenticators.js";
import type { TokenLookup } from "../../server/request/user.js";
import type { AuthenticationOptions, OidcOptions } from "../options/authentication-options.js";
import { readText } from "../../base/files/read-file.js";
import { watchFile } from "../reload/watch-files.js";
import type { AuthenticationSurroundings } from "./authentication-surroundings.js";

/** The issuers of identities of a server. */
export interface IdentityIssuers {
  readonly lookup: TokenLookup;
  /** What the configuration says of anonymous requests; undefined where it says nothing. */
  readonly anonymous: Anonymous | undefined;
  /** Asks the issuers for the first time, and watches the file. Resolves when all were asked, or soon. */
  start(): Promise<void>;
  close(): void;
}

/** How long a start waits for issuers, in milliseconds. They are asked until they answer. */
const PATIENCE_MS = 3000;

/**
 * Reads the configuration of issuers. Rejects with an Error in kube-apiserver's words, which names the file and the field, where it is
 * wrong. `disallowedIssuers` are those of service accounts.
 */
export async function openIdentityIssuers(
  options: AuthenticationOptions,
  disallowedIssuers: readonly string[],
  surroundings: AuthenticationSurroundings,
): Promise<IdentityIssuers> {
  const { configFile } = options;
  const { configuration, text } = await configurationOf(options);
  const { errors, authenticators } = validated(configuration, disallowedIssuers, surroundings.egress, {
    hasAnonymousOption: options.anonymous !== undefined,
  });
  if (errors.length > 0) {
    const place = configFile === undefined ? "" : ` in file ${JSON.stringify(configFile)}`;
    throw new Error(`invalid authentication configuration${place}: ${formatFieldErrors(errors)}`);
  }
  const { clock, env, timers, report, faults, egress } = surroundings;
  const issuers = new JwtAuthenticators({ clock, env, timers, report, egress, algorithms: algorithmsOf(options) });
  const take = async (changed: string): Promise<void> => {
    const next = decodeAuthenticationConfiguration(changed);
    const { errors: found, authenticators: compiled } = validateAuthenticationConfiguration(
      next,
      disallowedIssuers,
      egress,
    );
    const all = isDeepStrictEqual(next.anonymous, configuration.anonymous) ? found : [...found, CHANGED];
    if (all.length > 0) throw new Error(formatFieldErrors(all));
    await issuers.replace(compiled);
  };
  let stop = (): void => {};
  return {
    lookup: issuers.lookup,
    anonymous: configuration.anonymous && anonymousOf(configuration.anonymous),
    async start() {
      await issuers.start(authenticators, PATIENCE_MS);
      if (configFile === undefined) return;
      const tell = faults.of(`authentication configuration from file ${JSON.stringify(configFile)}`);
      stop = watchFile({ path: configFile, timers, take, tell }, text);
    },
    close() {
      stop();
      issuers.close();
    },
  };
}

const CHANGED: FieldError = forbiddenField("anonymous", "changed from initial configuration file");

function validated(
  configuration: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
  egress: EgressDialers | undefined,
  { hasAnonymousOption }: { readonly hasAnonymousOption: boolean },
) {
  const { errors, authenticators } = validateAuthenticationConfiguration(configuration, disallowedIssuers, egress);
  const detail =
    "--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file";
  const twice =
    hasAnonymousOption && configuration.anonymous !== undefined ? [forbiddenField("anonymous", detail)] : [];
  return { errors: [...twice, ...errors], authenticators };
}

async function configurationOf({
  configFile,
  configuration,
  oidc,
}: AuthenticationOptions): Promise<{ readonly configuration: AuthenticationConfiguration; readonly text: string }> {
  if (configFile !== undefined) {
    try {
      const text = await readText(configFile);
      return { configuration: decodeAuthenticationConfiguration(text), text };
    } catch (error) {
      const reason = errorMessage(error);
      const what = `failed to load authentication configuration from file ${JSON.stringify(configFile)}`;
      throw new Error(`${what}: ${reason}`, { cause: error });
    }
  }
  if (oidc === undefined) return { configuration: configuration ?? {}, text: "" };
  const authority = oidc.caFile === undefined ? "" : await readText(oidc.caFile);
  return { configuration: oidcConfiguration(oidc, authority), text: "" };
}

/** A configuration takes every algorithm; its keys say which of them count. */
function algorithmsOf({ oidc }: AuthenticationOptions): readonly SignatureAlgorithm[] {
  if (oidc === undefined) return SIGNATURE_ALGORITHMS;
  return (oidc.signingAlgorithms ?? ["RS256"]).map((name) => {
    if (isSignatureAlgorithm(name)) return name;
    throw new Error(`oidc: unsupported signing alg: ${JSON.stringify(name)}`);
  });
}

function anonymousOf({ enabled = false, conditions = [] }: AnonymousConfiguration): Anonymous {
  if (!enabled) return anonymousNowhere;
  return conditions.length === 0 ? anonymousEverywhere : anonymousOn(conditions.map(({ path = "" }) => path));
}

/**
 * Makes the AuthenticationConfiguration that the flags --oidc-* stand for. `certificateAuthority` is the content of their file of
 * authorities, or "".
 */
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
