import { inOrder } from "../../base/async/turns.js";
import type { Clock } from "../../base/time/clock.js";
import { forkRandom } from "../../base/numbers/random.js";
import { surroundingsOf } from "../../client/surroundings.js";
import { slowRequestLogOf } from "../../component/apiserver-flags/traces.js";
import type { OpenedAudit } from "../../server/audit/open-audit.js";
import { hostsOf } from "../../server/kubelet/cluster-network.js";
import { MANIFEST_PLUGINS } from "../../server/admission/configuration/manifest-folder.js";
import { enabledPluginNames } from "../../server/admission/enabled-plugins.js";
import type { RunTimed } from "../../machinery/tracing/request-span.js";
import type { Kv } from "../../server/storage/kv.js";
import type { TimedSurroundings } from "../../server/tracing/slow-request-log.js";
import type { TokenIssuer } from "../../server/request/token-issuer.js";
import type { ManifestSurroundings, OpenedManifests } from "../admission-manifests/open-manifests.js";
import type { AuthenticationSurroundings } from "../authentication/authentication-surroundings.js";
import type { OpenedAuthentication } from "../authentication/open-authentication.js";
import type { Composition } from "../composition.js";
import type { AccessSurroundings } from "../delegation/core-api.js";
import type { PluginAccess } from "../delegation/plugin-access.js";
import type { Registration, RegistrationParts } from "../delegation/registration.js";
import type { EncryptionSurroundings } from "../encryption/load-encryption.js";
import type { OpenedEncryption } from "../encryption/open-encryption.js";
import type { Egress } from "../egress/open-egress.js";
import { type OpenedAuthorization, openAuthorization } from "../open-authorization.js";
import type { AuthenticationOptions } from "../options/authentication-options.js";
import type { ServerOptions } from "../options/server-options.js";
import type { TlsOptions } from "../options/tls-options.js";
import type { ClusterPki } from "../pki/cluster-pki.js";
import type { ServingCertificates, ServingSurroundings } from "../reload/serving-certificates.js";
import type { OpenedTracing } from "../tracing/open-tracing.js";
import type { TimeAndChance } from "./config.js";

/** Opens the authorizers of a server; undefined where every user may do everything. */
export async function openAuthorizationOf(
  { authorization, onError = () => {}, onWarning = () => {} }: ServerOptions,
  composition: Composition,
  { clock, timers, random }: TimeAndChance,
  { controlplane }: Egress,
): Promise<OpenedAuthorization | undefined> {
  const wanted = authorization ?? composition.authorization;
  if (wanted === undefined) return undefined;
  return openAuthorization(wanted, {
    clock,
    timers,
    random: forkRandom(random, "authorization"),
    env: surroundingsOf({}).env,
    hosts: hostsOf(composition.network, controlplane),
    reportError: onError,
    warn: onWarning,
  });
}

/** Opens the authenticators beside those for the administrator and service accounts. The module is loaded only if the options have any. */
export async function openAuthenticationOf(
  options: AuthenticationOptions,
  { serving }: Composition,
  { issuer, pki }: { readonly issuer: TokenIssuer | undefined; readonly pki: ClusterPki },
  surroundings: Omit<AuthenticationSurroundings, "faults">,
): Promise<OpenedAuthentication> {
  const { openAuthentication } = await import("../authentication/open-authentication.js");
  const clientCa = serving?.clientCaFile === undefined ? pki.ca.certificate : "";
  const clientCaFiles = [
    ...(serving?.clientCaFile === undefined ? [] : [serving.clientCaFile]),
    ...(options.clientCaFiles ?? []),
  ];
  return openAuthentication({ ...options, clientCaFiles }, { serviceAccounts: issuer, clientCa }, surroundings);
}

/** Opens the clients that hooks and admission plugins may use. The module is loaded only if one of them may ask for a client. */
export async function openPluginAccessOf(
  { coreApi, admission }: Pick<ServerOptions, "coreApi" | "admission">,
  surroundings: AccessSurroundings,
): Promise<PluginAccess | undefined> {
  const asks = admission?.plugins?.some(({ initialize }) => initialize !== undefined) === true;
  if (coreApi === undefined && !asks) return undefined;
  const { PluginAccess: opened } = await import("../delegation/plugin-access.js");
  return opened.open(coreApi, surroundings);
}

/** Loads the webhooks and policies of manifest files for the enabled plugins; undefined where the options name no folder. */
export async function openManifestsOf(
  { admission = {} }: Pick<ServerOptions, "admission">,
  surroundings: ManifestSurroundings,
): Promise<OpenedManifests | undefined> {
  const enabled = enabledPluginNames(admission);
  const folders = MANIFEST_PLUGINS.flatMap((name) => {
    const { staticManifestsDir } = admission.configuration?.[name] ?? {};
    return staticManifestsDir === undefined || !enabled.includes(name) ? [] : [[name, staticManifestsDir] as const];
  });
  if (folders.length === 0) return undefined;
  const { openManifests } = await inOrder(import("../admission-manifests/open-manifests.js"));
  return openManifests(new Map(folders), surroundings);
}

/** Prepares the registration of the server at the main server of the client; undefined where it does not register. */
export async function openRegistrationOf(
  { name, options, clock, timers, random }: TimeAndChance & { readonly name: string; readonly options: ServerOptions },
  given: Pick<RegistrationParts, "client" | "pki" | "verifiers" | "report">,
): Promise<Registration | undefined> {
  const { registration, tls } = options;
  if (registration === undefined) return undefined;
  const { Registration: opened } = await import("../delegation/registration.js");
  return new opened(registration, { ...given, server: name, tls, clock, timers, random });
}

/** Opens the dialers for connections to the outside. The module is loaded only if the options have any. `clock` verifies certificates. */
export async function openEgressOf({ egress }: ServerOptions, clock: Clock): Promise<Egress> {
  if (egress === undefined) return {};
  const { openEgress } = await import("../egress/open-egress.js");
  return openEgress(egress, { clock, env: surroundingsOf({}).env });
}

/**
 * Opens the encryption of objects in the storage; undefined where they are stored in plain form. The module is loaded only if the
 * options have any.
 */
export async function openEncryptionOf(
  { encryption, encryptionReload = false, featureGates = {}, storage, etcd, onWarning }: ServerOptions,
  kv: Kv,
  surroundings: Omit<EncryptionSurroundings, "warn">,
): Promise<OpenedEncryption | undefined> {
  if (encryption === undefined) return undefined;
  const { openEncryption } = await import("../encryption/open-encryption.js");
  const names = (storage === "etcd" ? (etcd?.prefix ?? "/registry") : "/registry").split("/");
  const root = names
    .filter((name) => name !== "")
    .map((name) => `/${name}`)
    .join("");
  const options = { encryption, reloads: encryptionReload, root, kmsV1: featureGates.KMSv1 === true };
  return openEncryption(kv, options, { ...surroundings, warn: onWarning ?? (() => {}) });
}

/** Opens the audit log. The module is loaded only if a server has one. */
export async function openAuditOf(
  { audit, tracing = {}, onError: report = () => {}, onWarning: warn = () => {} }: ServerOptions,
  { network }: Composition,
  { clock, timers, random }: TimeAndChance,
  { controlplane }: Egress,
): Promise<OpenedAudit | undefined> {
  if (audit === undefined) return undefined;
  const { openAudit } = await import("../../server/audit/open-audit.js");
  const { env } = surroundingsOf({});
  const hosts = hostsOf(network, controlplane);
  const slow = slowRequestLogOf(tracing);
  const timed = slow && (await runTimed({ slow, clock, timers, random: forkRandom(random, "slow calls") }));
  return openAudit(audit, { clock, timers, random: forkRandom(random, "audit"), env, hosts, report, warn, timed });
}

/** Loaded where an option has a log of slow work. */
async function runTimed(surroundings: TimedSurroundings): Promise<RunTimed> {
  const { timed } = await import("../../server/tracing/slow-request-log.js");
  return (work, run) => timed(work, surroundings, run);
}

/**
 * Opens the tracing of requests; undefined where nothing traces them. The module is loaded if an option requires it, or if an SDK
 * of OpenTelemetry is registered, which its API stores under this symbol.
 */
export async function openTracingOf(
  { tracing, onWarning: warn = () => {} }: ServerOptions,
  { clock, timers, random }: TimeAndChance,
  { controlplane }: Egress,
): Promise<OpenedTracing | undefined> {
  const { [OPEN_TELEMETRY]: registered } = globalThis as { readonly [OPEN_TELEMETRY]?: { readonly trace?: unknown } };
  const isRegistered = registered?.trace !== undefined;
  if (tracing === undefined && !isRegistered) return undefined;
  const { openTracing } = await inOrder(import("../tracing/open-tracing.js"));
  const surroundings = { clock, timers, random: forkRandom(random, "tracing"), warn };
  return openTracing(tracing ?? {}, { ...surroundings, isRegistered, isProxied: controlplane !== undefined });
}

const OPEN_TELEMETRY = Symbol.for("opentelemetry.js.api.1");

/** Opens the serving certificates of the options' files. The module is loaded on the first call. */
export async function openServingOf(
  options: TlsOptions,
  surroundings: ServingSurroundings,
): Promise<ServingCertificates> {
  const { openServingCertificates } = await import("../reload/serving-certificates.js");
  return openServingCertificates(options, surroundings);
}
