import type { AuthenticationInfo } from "../../controllers/authentication-trust/authentication-trust.js";
import { configFromFile } from "../../client/config/load-config.js";
import { certificatesIn } from "../../machinery/crypto/certificates.js";
import {
  anonymousEverywhere,
  type Anonymous,
  anonymousNowhere,
  anonymousOn,
  type Authentication,
  type AuthenticationContext,
  type FrontProxy,
} from "../../server/authn/authentication.js";
import { bootstrapTokens } from "../../server/authn/bootstrap-token.js";
import { cachedTokens } from "../../server/authn/cached-tokens.js";
import { type FrontProxyTrust, requestHeader, STANDARD_HEADERS } from "../../server/authn/request-header.js";
import { staticTokens, readTokenFile } from "../../server/authn/token-file.js";
import type { WebhookTokens } from "../../server/authn/webhook-token.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import type { AuthorityTexts } from "../../machinery/crypto/peer-authorities.js";
import type { TokenIssuer } from "../../server/request/token-issuer.js";
import type { TokenLookup } from "../../server/request/user.js";
import {
  type AuthenticationOptions,
  checkAuthenticationOptions,
  type DelegatedAuthenticationOptions,
  type RequestHeaderOptions,
  requestHeaderWarnings,
  type WebhookOptions,
} from "../options/authentication-options.js";
import { readText } from "../../base/files/read-file.js";
import type { AuthenticationSurroundings } from "./authentication-surroundings.js";
import type { DelegatedAuthentication } from "../delegation/delegated-authentication.js";
import { openAuthorityFiles } from "./authority-files.js";
import { FileFaults } from "../reload/watch-files.js";
import type { IdentityIssuers } from "./identity-issuers.js";
import { openTokenIssuer } from "./service-account-issuer.js";

/** The authenticators of a server, with the files that they read. */
export interface OpenedAuthentication {
  readonly parts: (context: AuthenticationContext) => Authentication;
  /** Issues and verifies service account tokens; undefined where there are none. */
  readonly serviceAccounts: TokenIssuer | undefined;
  readonly authorities: AuthorityTexts;
  /** What others may know of it. */
  info(): AuthenticationInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** Watches the files, and asks the issuers of identities. `changed` is called when {@link authorities} has. */
  start(changed: () => void): Promise<void>;
  close(): Promise<void>;
}

export interface AuthenticationBase {
  readonly serviceAccounts: TokenIssuer | undefined;
  /** The cluster's own authority, PEM; "" where the options' files take its place. */
  readonly clientCa: string;
}

const WEBHOOK_CACHE_MS = 120_000;

/**
 * Reads every file that the options name. Rejects before anything is opened, with an Error in kube-apiserver's words that names the
 * file, where one is missing or wrong, or where the options contradict each other.
 */
export async function openAuthentication(
  options: AuthenticationOptions,
  base: AuthenticationBase,
  given: Omit<AuthenticationSurroundings, "faults">,
): Promise<OpenedAuthentication> {
  checkAuthenticationOptions(options);
  for (const warning of requestHeaderWarnings(options.requestHeader ?? {})) given.warn(warning);
  const faults = new FileFaults("authentication-files", given.report);
  const surroundings = { ...given, faults };
  const tokens = await openTokenFile(options.tokenFile, given.report);
  const opened = base.serviceAccounts && (await openIssuer(options, base.serviceAccounts, surroundings));
  const serviceAccounts = opened?.issuer;
  const audiences = serviceAccounts?.audiences ?? [];
  const clientCas = await openAuthorityFiles(options.clientCaFiles ?? [], surroundings);
  const { requestHeader: header } = options;
  const proxyCas = header && (await openAuthorityFiles([header.clientCaFile], surroundings));
  if (header !== undefined && proxyCas !== undefined)
    checkOverlap(header, [base.clientCa, clientCas.pem], proxyCas.pem);
  const ownIssuers = serviceAccounts === undefined ? [] : [serviceAccounts.url, ...(serviceAccounts.otherUrls ?? [])];
  const issuers = await openIssuers(options, ownIssuers, surroundings);
  const webhook = options.webhook && (await openWebhook(options.webhook, audiences, surroundings));
  const delegated = options.delegated && (await openDelegated(options.delegated, options, surroundings));
  const frontProxy = header && trustOf(header);
  const proxies = frontProxy === undefined ? delegated?.frontProxies : { frontProxy };
  const anonymous = issuers?.anonymous ?? anonymousOf(options.anonymous);
  const clientCa = (): string =>
    [base.clientCa, clientCas.pem, delegated?.clientCa ?? ""].filter((pem) => pem !== "").join("\n");
  return {
    serviceAccounts,
    get authorities() {
      return {
        clientCa: clientCa(),
        frontProxyCa: proxyCas === undefined ? delegated?.frontProxies?.frontProxyCa : proxyCas.pem,
      };
    },
    info: () => ({ clientCa: clientCa(), frontProxy: frontProxy && { ...frontProxy, ca: proxyCas?.pem ?? "" } }),
    healthChecks: [faults.check],
    parts: ({ find, now }) => ({
      ...(proxies && { frontProxy: frontProxyOf(() => proxies.frontProxy) }),
      localTokens: tokens === undefined ? [] : [tokens],
      tokens: [
        ...(options.bootstrapTokens === true ? [bootstrapTokens(find, now)] : []),
        ...(issuers === undefined ? [] : [issuers.lookup]),
        ...(webhook === undefined ? [] : [cachedWebhook(webhook, options.webhook, now)]),
        ...[delegated?.tokens(now)].filter((lookup) => lookup !== undefined),
      ],
      ...(anonymous && { anonymous }),
    }),
    async start(changed) {
      opened?.watch();
      clientCas.watch(changed);
      proxyCas?.watch(changed);
      delegated?.start(changed);
      await issuers?.start();
    },
    async close() {
      opened?.close();
      clientCas.close();
      proxyCas?.close();
      issuers?.close();
      await webhook?.close();
      await delegated?.close();
    },
  };
}

async function openTokenFile(
  path: string | undefined,
  report: (error: unknown) => void,
): Promise<TokenLookup | undefined> {
  if (path === undefined) return undefined;
  const { users, warnings } = readTokenFile(path, await readText(path));
  for (const warning of warnings) report(new Error(warning));
  return staticTokens(users);
}

const openIssuer = (
  { serviceAccounts = {} }: AuthenticationOptions,
  base: TokenIssuer,
  surroundings: AuthenticationSurroundings,
) => openTokenIssuer(base, serviceAccounts, surroundings);

/** Issuers, and with them expressions, are loaded where there are any. */
async function openIssuers(
  options: AuthenticationOptions,
  ownIssuers: readonly string[],
  surroundings: AuthenticationSurroundings,
): Promise<IdentityIssuers | undefined> {
  if (options.oidc === undefined && options.configFile === undefined && options.configuration === undefined) {
    return undefined;
  }
  const { openIdentityIssuers } = await import("./identity-issuers.js");
  return openIdentityIssuers(options, ownIssuers, surroundings);
}

/** The main server, and with it a client, is loaded where a server asks one. */
async function openDelegated(
  delegated: DelegatedAuthenticationOptions,
  options: AuthenticationOptions,
  surroundings: AuthenticationSurroundings,
): Promise<DelegatedAuthentication> {
  const { openDelegatedAuthentication } = await import("../delegation/delegated-authentication.js");
  return openDelegatedAuthentication(delegated, options, surroundings);
}

const frontProxyOf = (current: () => FrontProxyTrust | undefined): FrontProxy => ({
  authenticator: requestHeader(current),
  headers: current,
});

async function openWebhook(
  { configFile, version }: WebhookOptions,
  audiences: readonly string[],
  { clock, timers, random, env, hosts, report }: AuthenticationSurroundings,
): Promise<WebhookTokens> {
  const [{ webhookTokens }, client] = await Promise.all([
    import("../../server/authn/webhook-token.js"),
    configFromFile(configFile, { env }),
  ]);
  const known = version === "v1" ? "v1" : "v1beta1";
  return webhookTokens({ client, version: known, audiences, clock, timers, random, env, hosts, report });
}

function cachedWebhook(
  { lookup }: WebhookTokens,
  { cacheTtl = WEBHOOK_CACHE_MS }: Partial<WebhookOptions> = {},
  now: () => number,
): TokenLookup {
  return cachedTokens(lookup, { success: cacheTtl, failure: cacheTtl }, now);
}

function trustOf(options: RequestHeaderOptions): FrontProxyTrust {
  return {
    usernameHeaders: options.usernameHeaders ?? STANDARD_HEADERS.usernameHeaders,
    uidHeaders: options.uidHeaders ?? STANDARD_HEADERS.uidHeaders,
    groupHeaders: options.groupHeaders ?? STANDARD_HEADERS.groupHeaders,
    extraHeadersPrefixes: options.extraHeadersPrefixes ?? STANDARD_HEADERS.extraHeadersPrefixes,
    allowedNames: options.allowedNames ?? [],
  };
}

/** A client with a certificate of an authority of both kinds could name any user, unless the proxy's names are known. */
function checkOverlap(
  { allowedNames = [] }: RequestHeaderOptions,
  clientPems: readonly string[],
  proxyPem: string,
): void {
  if (allowedNames.length > 0) return;
  const clients = clientPems.filter((pem) => pem !== "").flatMap(certificatesIn);
  const proxies = new Set(certificatesIn(proxyPem).map(({ fingerprint256 }) => fingerprint256));
  if (!clients.some(({ fingerprint256 }) => proxies.has(fingerprint256))) return;
  throw new Error(
    "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users",
  );
}

function anonymousOf(option: AuthenticationOptions["anonymous"]): Anonymous | undefined {
  if (option === undefined) return undefined;
  if (typeof option === "boolean") return option ? anonymousEverywhere : anonymousNowhere;
  return anonymousOn(option.paths);
}
