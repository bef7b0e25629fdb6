import { systemClock } from "../../base/time/clock.js";
import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import { systemRandom } from "../../base/numbers/random.js";
import type { RuntimeConfig } from "../../api/facts/index.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import { signingKey, verificationKey } from "../../machinery/crypto/jwt/jws.js";
import type { StorageMediaType } from "../../server/endpoints/serializers/serializer.js";
import type { InFlightLimits } from "../../server/filters/max-in-flight.js";
import type { TokenIssuer } from "../../server/request/token-issuer.js";
import type { RunningServer } from "../running-server.js";
import { type AuthorizationOptions, authorizationProblems } from "../options/authorization-options.js";
import type { EtcdConnection, StorageOptions } from "../open-storage.js";
import type { ClusterPki } from "../pki/cluster-pki.js";
import { createClusterPki } from "../pki/cluster-pki.js";
import { type GivenSetup, startControlPlane } from "../start-cluster.js";
import { clientAuthorities, servingFiles, signingKeyIn, verificationKeyIn } from "./api-server-files.js";
import { type AuthenticationOptions, problemsOf as authenticationProblems } from "../options/authentication-options.js";
import { readTlsProtocol } from "../../server/generic/transport/tls-protocol.js";
import type { NamedCertificateFiles, TlsOptions } from "../options/tls-options.js";
import { askEtcdStandIn } from "./etcd-stand-in.js";

/** What the flags of kube-apiserver say. Files are named as the process can open them; "" is a flag that was not given. */
export interface ApiServerOptions {
  readonly bindAddress: string;
  readonly advertiseAddress: string;
  readonly securePort: number;
  readonly certDir: string;
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Go's name of a version, or "". */
  readonly tlsMinVersion: string;
  /** Go's names of suites. */
  readonly tlsCipherSuites: readonly string[];
  readonly tlsSniCertKeys: readonly NamedCertificateFiles[];
  readonly clientCaFile: string;
  /** The first is in new tokens. */
  readonly serviceAccountIssuers: readonly string[];
  readonly serviceAccountKeyFiles: readonly string[];
  readonly serviceAccountSigningKeyFile: string;
  readonly apiAudiences: readonly string[];
  /** In milliseconds; 0 for any. */
  readonly serviceAccountMaxTokenExpiration: number;
  readonly serviceAccountExtendTokenExpiration: boolean;
  readonly serviceAccountJwksUri: string;
  readonly authentication: AuthenticationOptions;
  /** Blocks of addresses; the first must be IPv4. */
  readonly serviceClusterIpRange: readonly string[];
  readonly etcd: EtcdConnection;
  readonly storageMediaType: StorageMediaType;
  readonly watchCache: boolean;
  /** Undefined: what the etcd takes. */
  readonly maxObjectBytes: number | undefined;
  readonly inFlight: InFlightLimits;
  readonly runtimeConfig: RuntimeConfig;
  /** In the absence of a configuration file it names at least one mode. */
  readonly authorization: AuthorizationOptions;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  readonly admissionControlConfigFile: string;
  /** The server calls it with its own faults. */
  readonly reportError: (error: unknown) => void;
  /** Ends the start when it aborts. */
  readonly signal: AbortSignal;
}

/**
 * Serves the API as kube-apiserver does with these flags: without the controllers of kube-controller-manager. Resolves when the
 * API answers. Rejects in kube-apiserver's words for options that it rejects.
 */
export async function serveApi(options: ApiServerOptions): Promise<RunningServer> {
  const problems = [...problemsOf(options), ...authorizationProblems(options.authorization)];
  if (problems.length > 0) throw new Error(aggregateText(problems));
  const [storage, setup, tls] = await Promise.all([storageOf(options), setupOf(options), tlsOf(options)]);
  return startControlPlane(
    {
      ...storage,
      port: options.securePort,
      tls,
      storageMediaType: options.storageMediaType,
      watchCache: options.watchCache,
      inFlight: options.inFlight,
      runtimeConfig: options.runtimeConfig,
      authorization: options.authorization,
      controllers: false,
      scheduler: false,
      admission: {
        enable: options.enableAdmissionPlugins,
        disable: options.disableAdmissionPlugins,
        ...(options.admissionControlConfigFile !== "" && { configurationFile: options.admissionControlConfigFile }),
      },
      authentication: authenticationOf(options),
      onError: options.reportError,
      signal: options.signal,
    },
    setup,
  );
}

function problemsOf(options: ApiServerOptions): string[] {
  const problems: string[] = [];
  if (options.inFlight.readOnly < 0) problems.push("--max-requests-inflight can not be negative value");
  if (options.inFlight.mutating < 0) problems.push("--max-mutating-requests-inflight can not be negative value");
  if ((options.maxObjectBytes ?? 0) < 0) problems.push("--max-object-bytes can not be negative value");
  if (options.etcd.servers.length === 0) problems.push("--etcd-servers must be specified");
  if (options.securePort < 1 || options.securePort > 65_535) {
    problems.push(
      `--secure-port ${options.securePort} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
    );
  }
  if (options.serviceAccountIssuers.length === 0) problems.push("service-account-issuer is a required flag");
  if (options.serviceAccountSigningKeyFile === "" || options.serviceAccountIssuers.length === 0) {
    problems.push("--service-account-signing-key-file and --service-account-issuer are required flags");
  }
  const [range = ""] = options.serviceClusterIpRange;
  if (parseIpv4Prefix(range) === undefined) {
    problems.push(`--service-cluster-ip-range must begin with a block of IPv4 addresses, not ${JSON.stringify(range)}`);
  }
  problems.push(...authenticationProblems(authenticationOf(options)));
  return problems;
}

function authenticationOf(options: ApiServerOptions): AuthenticationOptions {
  const { serviceAccountIssuers: issuers, serviceAccountKeyFiles, apiAudiences, serviceAccountJwksUri } = options;
  const longest = options.serviceAccountMaxTokenExpiration;
  return {
    ...options.authentication,
    serviceAccounts: {
      issuers,
      keyFiles: serviceAccountKeyFiles,
      ...(apiAudiences.length > 0 && { audiences: apiAudiences }),
      ...(longest !== 0 && { maxTokenExpirationSeconds: longest / 1000 }),
      extendTokenExpiration: options.serviceAccountExtendTokenExpiration,
      ...(serviceAccountJwksUri !== "" && { keysUrl: serviceAccountJwksUri }),
    },
  };
}

/** kube-apiserver has no limit of its own: an etcd refuses what is too large for it, by its own --max-request-bytes. */
async function storageOf({ etcd, maxObjectBytes }: ApiServerOptions): Promise<StorageOptions> {
  const [only, ...others] = etcd.servers;
  const standIn = only !== undefined && others.length === 0 ? await askEtcdStandIn(only) : undefined;
  if (standIn === undefined) return { storage: "etcd", etcd, maxObjectBytes: maxObjectBytes ?? 0 };
  return { storage: "memory", maxObjectBytes: maxObjectBytes ?? standIn.maxRequestBytes };
}

async function tlsOf(options: ApiServerOptions): Promise<TlsOptions> {
  const { bindAddress: host, certDir, tlsCertFile: certFile, tlsPrivateKeyFile: keyFile } = options;
  const { minVersion, cipherSuites } = readTlsProtocol(options.tlsMinVersion, options.tlsCipherSuites);
  return {
    certificate: await servingFiles(
      { certFile, keyFile, certDir, host },
      systemClock,
      systemRandom,
      options.reportError,
    ),
    ...(minVersion && { minVersion }),
    ...(cipherSuites && { cipherSuites }),
    named: options.tlsSniCertKeys,
  };
}

async function setupOf(options: ApiServerOptions): Promise<GivenSetup> {
  const { bindAddress: host, clientCaFile } = options;
  const [clientCa, tokenIssuer] = await Promise.all([
    clientCaFile === "" ? undefined : clientAuthorities(clientCaFile),
    tokenIssuerOf(options),
  ]);
  return {
    serving: { host, pki: pkiOf(clientCa), ...(clientCaFile !== "" && { clientCaFile }) },
    advertisedAddress: options.advertiseAddress,
    serviceCidr: options.serviceClusterIpRange[0] ?? "",
    tokenIssuer,
  };
}

/**
 * The server has clients' certificates checked against the file alone; without one it trusts a CA that signs nothing. It has no
 * administrator, for whose credentials it would need the CA's key, and shows what the flags say.
 */
function pkiOf(clientCa: string | undefined): ClusterPki {
  const none = { certificate: "", key: "" };
  if (clientCa === undefined) return { ...createClusterPki(systemClock, systemRandom, systemClock), server: none };
  const token = Buffer.from(systemRandom.bytes(32)).toString("base64url");
  return { ca: { certificate: clientCa, key: "" }, server: none, admin: none, serviceAccountKey: "", token };
}

async function tokenIssuerOf(options: ApiServerOptions): Promise<TokenIssuer> {
  const [url = ""] = options.serviceAccountIssuers;
  const files = options.serviceAccountKeyFiles;
  const key = signingKey(await signingKeyIn(options.serviceAccountSigningKeyFile));
  // Checked in kube-apiserver's words; the options of authentication name the files, whose keys may change.
  await Promise.all(files.map(async (file) => verificationKey(await verificationKeyIn(file))));
  return {
    url,
    audiences: options.apiAudiences.length > 0 ? options.apiAudiences : options.serviceAccountIssuers,
    key,
    verificationKeys: files.length > 0 ? [] : [key],
  };
}
