import { append } from "../../../base/collections/append.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { EgressDialers } from "../../../client/transport/dial.js";
import { duplicate, type FieldError, invalidValue, required, tooMany } from "../../../machinery/errors/field-error.js";
import { goUri } from "../../../machinery/text/go/go-uri.js";
import { certificatesIn } from "../../../machinery/crypto/certificates.js";
import {
  type AuthenticationConfiguration,
  isEgressType,
  type IssuerConfiguration,
  type JwtAuthenticatorConfiguration,
} from "./authentication-configuration.js";
import { type CompiledClaims, compileClaims } from "./compile-claims.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

/** An authenticator of the configuration, with its expressions ready. */
export interface CompiledAuthenticator extends CompiledClaims {
  readonly config: JwtAuthenticatorConfiguration;
}

export interface ValidatedConfiguration {
  readonly errors: readonly FieldError[];
  /** Without errors: as many as the configuration has. */
  readonly authenticators: readonly CompiledAuthenticator[];
}

const MOST_AUTHENTICATORS = 64;

/**
 * Finds what is wrong with a configuration, in kube-apiserver's words. `disallowedIssuers` are the server's own: an issuer of
 * identities cannot speak for service accounts. `egress` is undefined where the server has no egress selections.
 */
export function validateAuthenticationConfiguration(
  { jwt = [], anonymous }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
  egress?: EgressDialers,
): ValidatedConfiguration {
  if (jwt.length > MOST_AUTHENTICATORS) {
    return { errors: [tooMany("jwt", jwt.length, MOST_AUTHENTICATORS)], authenticators: [] };
  }
  const errors: FieldError[] = [];
  const authenticators: CompiledAuthenticator[] = [];
  const [issuers, discoveries] = [new Set<string>(), new Set<string>()];
  for (const [index, config] of jwt.entries()) {
    const path = `jwt[${index}]`;
    const { url = "", discoveryURL = "" } = config.issuer ?? {};
    const claims = compileClaims(config, path);
    append(errors, issuerErrors(config.issuer ?? {}, `${path}.issuer`, disallowedIssuers, egress), claims.errors);
    authenticators.push({ config, ...claims.compiled });
    if (issuers.has(url)) errors.push(duplicate(`${path}.issuer.url`, url));
    if (discoveryURL !== "" && discoveries.has(discoveryURL)) {
      errors.push(duplicate(`${path}.issuer.discoveryURL`, discoveryURL));
    }
    issuers.add(url);
    discoveries.add(discoveryURL);
  }
  const conditions = anonymous?.conditions ?? [];
  if (anonymous !== undefined && anonymous.enabled !== true && conditions.length > 0) {
    const shown = conditions.map(({ path = "" }) => ({ Path: path }));
    const detail = "enabled should be set to true when conditions are defined";
    errors.push(invalidValue("anonymous.conditions", shown, detail));
  }
  return { errors, authenticators };
}

function issuerErrors(
  issuer: IssuerConfiguration,
  path: string,
  disallowed: readonly string[],
  egress: EgressDialers | undefined,
): FieldError[] {
  const { url = "", discoveryURL = "", certificateAuthority = "", egressSelectorType = "" } = issuer;
  const errors = url === "" ? [required(`${path}.url`)] : urlErrors(url, `${path}.url`, disallowed);
  if (discoveryURL !== "") {
    const discoveryPath = `${path}.discoveryURL`;
    if (url !== "" && withoutSlashes(url) === withoutSlashes(discoveryURL)) {
      errors.push(invalidValue(discoveryPath, discoveryURL, "discoveryURL must be different from URL"));
    }
    append(errors, urlErrors(discoveryURL, discoveryPath, []));
  }
  append(errors, audienceErrors(issuer, path), authorityErrors(certificateAuthority, `${path}.certificateAuthority`));
  if (egressSelectorType !== "") append(errors, egressErrors(egressSelectorType, `${path}.egressSelectorType`, egress));
  return errors;
}

const withoutSlashes = (url: string): string => withoutTrailing(url, "/");

function urlErrors(url: string, path: string, disallowed: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const invalid = (detail: string): void => void errors.push(invalidValue(path, url, detail));
  if (disallowed.includes(url)) {
    invalid(`URL must not overlap with disallowed issuers: [${[...new Set(disallowed)].sort().join(" ")}]`);
  }
  const problem = unparsable(url);
  if (problem !== undefined) {
    invalid(problem);
    return errors;
  }
  const [, scheme = "", authority = "", query = "", fragment = ""] = URL_PARTS.exec(url) ?? [];
  if (scheme.toLowerCase() !== "https") invalid("URL scheme must be https");
  if (authority.includes("@")) invalid("URL must not contain a username or password");
  if (query.length > 1) invalid("URL must not contain a query");
  if (fragment.length > 1) invalid("URL must not contain a fragment");
  return errors;
}

const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(\?[^#]*)?(#.*)?$/s;

/** What Go says of a URL that it does not parse. */
function unparsable(url: string): string | undefined {
  try {
    goUri(url);
    return undefined;
  } catch (error) {
    const message = errorMessage(error);
    return message === "invalid domain" ? undefined : message;
  }
}

function audienceErrors(
  { audiences = [], audienceMatchPolicy = "" }: IssuerConfiguration,
  parent: string,
): FieldError[] {
  const path = `${parent}.audiences`;
  if (audiences.length === 0) return [required(path, `at least one ${path} is required`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, audience] of audiences.entries()) {
    if (audience === "") errors.push(required(`${path}[${index}]`));
    if (seen.has(audience)) errors.push(duplicate(`${path}[${index}]`, audience));
    seen.add(audience);
  }
  const policy = (detail: string) => invalidValue(`${parent}.audienceMatchPolicy`, audienceMatchPolicy, detail);
  if (audienceMatchPolicy === "MatchAny") return errors;
  if (audiences.length > 1) errors.push(policy("audienceMatchPolicy must be MatchAny for multiple audiences"));
  else if (audienceMatchPolicy !== "") {
    errors.push(policy("audienceMatchPolicy must be empty or MatchAny for single audience"));
  }
  return errors;
}

function authorityErrors(pem: string, path: string): FieldError[] {
  if (pem === "") return [];
  try {
    certificatesIn(pem);
    return [];
  } catch (error) {
    return [invalidValue(path, "<omitted>", errorMessage(error))];
  }
}

/** An issuer names a selection on purpose: without it, it is not reached another way. */
function egressErrors(type: string, path: string, egress: EgressDialers | undefined): FieldError[] {
  if (!isEgressType(type)) return [invalidValue(path, type, "egress selector must be either controlplane or cluster")];
  if (egress === undefined) {
    return [invalidValue(path, type, `oidc: egress lookup required with egress selector type ${goQuote(type)}`)];
  }
  if (egress[type] !== undefined) return [];
  return [invalidValue(path, type, `oidc: egress lookup for ${goQuote(type)} is not configured`)];
}
