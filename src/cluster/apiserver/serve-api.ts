import { systemClock } from "../../base/time/clock.js";
import { systemRandom } from "../../base/numbers/random.js";
import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import { signingKey, verificationKey } from "../../machinery/crypto/jwt/jws.js";
import { readTlsProtocol } from "../../server/generic/transport/tls-protocol.js";
import type { TokenIssuer } from "../../server/request/token-issuer.js";
import { askEtcdStandIn } from "../envtest/etcd-stand-in.js";
import type { StorageOptions } from "../open-storage.js";
import type { FileAdmissionOptions } from "../options/admission-configuration.js";
import type { AuthenticationOptions } from "../options/authentication-options.js";
import type { AuthorizationOptions } from "../options/authorization-options.js";
import type { ServerOptions } from "../options/server-options.js";
import type { TlsOptions } from "../options/tls-options.js";
import { type ClusterPki, createClusterPki } from "../pki/cluster-pki.js";
import { type IdentityFiles, openIdentityFiles } from "../pki/identity-files.js";
import type { RunningServer } from "../running-server.js";
import type { GivenSetup } from "../given-setup.js";
import { startControlPlane } from "../start-cluster.js";
import { serviceAddress } from "../system-objects.js";
import { adaptRecords } from "./adapted-records.js";
import { clientAuthorities, servingFiles, signingKeyIn, verificationKeyIn } from "./api-server-files.js";
import type { ApiServerOptions } from "./options.js";

interface ServeOptions extends ApiServerOptions {
  /** The server calls it with its own faults. */
  readonly reportError: (error: unknown) => void;
  /** Receives what the server goes on in spite of. */
  readonly warn: (text: string) => void;
  readonly onLifeCycle: NonNullable<ServerOptions["onLifeCycle"]>;
  /** Ends the start when it aborts. */
  readonly signal: AbortSignal;
}

/**
 * Serves the API as kube-apiserver does with these flags: without the controllers of kube-controller-manager. Resolves when the
 * API answers. Rejects in kube-apiserver's words for files that it rejects.
 */
export async function serveApi(options: ServeOptions): Promise<RunningServer> {
  const { server, securePort: port = 6443 } = options;
  const [storage, setup, tls] = await Promise.all([storageOf(options), setupOf(options), tlsOf(options)]);
  return startControlPlane(
    {
      ...server,
      ...storage,
      port,
      tls,
      storageMediaType: options.storageMediaType ?? "application/json",
      authorization: kubeAuthorization(server.authorization),
      controllers: false,
      scheduler: false,
      admission: admissionOf(options),
      authentication: kubeAuthentication(server.authentication),
      onError: options.reportError,
      onWarning: options.warn,
      onLifeCycle: options.onLifeCycle,
      signal: options.signal,
    },
    setup,
  );
}

/** Completes the options with kube-apiserver's default mode, AlwaysAllow. */
export const kubeAuthorization = (options: AuthorizationOptions = {}): AuthorizationOptions =>
  options.modes === undefined && options.configFile === undefined ? { ...options, modes: ["AlwaysAllow"] } : options;

function admissionOf({ server, tolerations }: ApiServerOptions): FileAdmissionOptions {
  return { ...server.admission, ...(tolerations && { configuration: { DefaultTolerationSeconds: tolerations } }) };
}

/**
 * Completes the options with kube-apiserver's defaults: no webhook and no front proxy without their files, and only the headers
 * that flags name.
 */
export function kubeAuthentication(options: AuthenticationOptions = {}): AuthenticationOptions {
  const { requestHeader, webhook, ...others } = options;
  const hasProxy = requestHeader !== undefined && requestHeader.clientCaFile !== "";
  return {
    ...others,
    ...(webhook !== undefined && webhook.configFile !== "" && { webhook }),
    ...(hasProxy && { requestHeader: { ...NO_HEADERS, ...requestHeader } }),
  };
}

const NO_HEADERS = { usernameHeaders: [], uidHeaders: [], groupHeaders: [], extraHeadersPrefixes: [] };

/** Reads where objects are kept. An etcd refuses objects above its --max-request-bytes itself; etcd's stand-in tells this server its limit. */
async function storageOf({ server, storage }: ApiServerOptions): Promise<StorageOptions> {
  if (storage !== undefined) return { storage, maxObjectBytes: server.maxObjectBytes ?? 0 };
  const { etcd = { servers: [] }, maxObjectBytes, egress } = server;
  const [only, ...others] = etcd.servers;
  // A stand-in serves this machine. Where there are egress selections, nothing else may be asked past them.
  const mayStandIn = only !== undefined && others.length === 0 && (egress === undefined || isLocal(only));
  const standIn = mayStandIn ? await askEtcdStandIn(only) : undefined;
  if (standIn === undefined) return { storage: "etcd", etcd, maxObjectBytes: maxObjectBytes ?? 0 };
  return { storage: "memory", maxObjectBytes: maxObjectBytes ?? standIn.maxRequestBytes };
}

const isLocal = (url: string): boolean => /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?\/?$/.test(url);

async function tlsOf(options: ServeOptions): Promise<TlsOptions> {
  const { advertiseAddress: host, certDir = "", server, serviceClusterIpRange, reportError } = options;
  const { certificate, minVersion = "", cipherSuites = [], named } = server.tls ?? {};
  const names = [...SERVICE_NAMES, serviceAddress(serviceClusterIpRange)];
  const { certFile = "", keyFile = "" } = certificate ?? {};
  const files = { certFile, keyFile, certDir, host, names };
  return {
    ...readTlsProtocol(minVersion, cipherSuites),
    certificate: await servingFiles(files, systemClock, systemRandom, reportError),
    ...(named && { named }),
  };
}

/** The names of the Service kubernetes, by which pods reach the server. */
const SERVICE_NAMES = ["kubernetes.default.svc", "kubernetes.default", "kubernetes"];

async function setupOf(options: ApiServerOptions): Promise<GivenSetup> {
  const { host, clientCaFile = "", externalHost } = options;
  const { eventTtl = HOUR_MS, allowPrivileged = false } = options;
  const [clientCa, tokenIssuer, kubelets, frontProxy] = await Promise.all([
    clientCaFile === "" ? undefined : clientAuthorities(clientCaFile),
    tokenIssuerOf(options),
    kubeletsOf(options.kubelets ?? {}),
    frontProxyOf(options.aggregator ?? {}),
  ]);
  return {
    serving: {
      host,
      externalHost,
      pki: pkiOf(clientCa),
      ...(clientCaFile !== "" && { clientCaFile }),
    },
    advertisedAddress: options.advertiseAddress,
    advertisedPort: options.advertisePort,
    serviceCidr: options.serviceClusterIpRange,
    serviceNodePort: options.kubernetesServiceNodePort ?? 0,
    nodePorts: options.serviceNodePortRange ?? { first: 30_000, last: 32_767 },
    keepsEndpoints: options.endpointReconcilerType !== "none",
    adaptRecords: (records) => adaptRecords(records, { eventTtl: eventTtl / 1000, allowPrivileged }),
    kubelets,
    aggregator: { rejectsRedirects: options.aggregator?.rejectForwardingRedirect ?? true, frontProxy },
    tokenIssuer,
  };
}

const HOUR_MS = 3_600_000;

/** Reads the files of --proxy-client-*; undefined where no flag names them. */
async function frontProxyOf({
  certFile = "",
  keyFile = "",
}: NonNullable<ApiServerOptions["aggregator"]>): Promise<IdentityFiles | undefined> {
  if (certFile === "" && keyFile === "") return undefined;
  try {
    return await openIdentityFiles({ certFile, keyFile });
  } catch (error) {
    throw new Error(`--proxy-client-cert-file and --proxy-client-key-file: ${errorMessage(error)}`, { cause: error });
  }
}

/** Reads the files of --kubelet-*. */
async function kubeletsOf({
  caFile = "",
  certFile = "",
  keyFile = "",
  addressTypes = [],
}: NonNullable<ApiServerOptions["kubelets"]>): Promise<GivenSetup["kubelets"]> {
  const text = async (flag: string, file: string): Promise<string> => {
    try {
      return await readText(file);
    } catch (error) {
      throw new Error(`--${flag}: ${errorMessage(error)}`, { cause: error });
    }
  };
  const identity = certFile !== "" && {
    certificate: await text("kubelet-client-certificate", certFile),
    key: await text("kubelet-client-key", keyFile),
  };
  return {
    addressTypes,
    ...(identity && { kubeletClient: () => identity }),
    ...(caFile !== "" && {
      kubeletVerification: { ca: await text("kubelet-certificate-authority", caFile), clock: systemClock },
    }),
  };
}

/**
 * The server has clients' certificates checked against the file alone; without one it trusts a CA that signs nothing. It has no
 * administrator, for whose credentials it would need the CA's key, and shows what the flags say.
 */
function pkiOf(clientCa: string | undefined): ClusterPki {
  const none = { certificate: "", key: "" };
  if (clientCa === undefined) {
    return { ...createClusterPki(systemClock, systemRandom, systemClock), server: none, frontProxyCa: undefined };
  }
  const token = Buffer.from(systemRandom.bytes(32)).toString("base64url");
  return { ca: { certificate: clientCa, key: "" }, server: none, admin: none, serviceAccountKey: "", token };
}

async function tokenIssuerOf(options: ApiServerOptions): Promise<TokenIssuer> {
  const { issuers = [], keyFiles = [], audiences = issuers } = options.server.authentication?.serviceAccounts ?? {};
  const [url = ""] = issuers;
  const key = signingKey(await signingKeyIn(options.serviceAccountSigningKeyFile ?? ""));
  // Checked in kube-apiserver's words; the options of authentication name the files, whose keys may change.
  await Promise.all(keyFiles.map(async (file) => verificationKey(await verificationKeyIn(file))));
  return {
    url,
    audiences,
    key,
    verificationKeys: keyFiles.length > 0 ? [] : [key],
    looksUpSecrets: options.lookup ?? true,
  };
}
