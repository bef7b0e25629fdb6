import { networkInterfaces } from "node:os";
import { resolve } from "node:path";
import type { RuntimeConfig } from "../../api/facts/index.js";
import { parseSniCertKey } from "../../component/apiserver-flags/sni-cert-key.js";
import { ipOf, parsePortRange, type PortRange } from "../../component/apiserver-flags/values.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { readRuntimeConfig } from "../../component/flags/pairs.js";
import type { DefaultTolerationSecondsConfiguration } from "../../server/admission/plugins/tolerations.js";
import type { StorageMediaType } from "../../server/endpoints/serializers/serializer.js";
import type { InFlightLimits } from "../../server/filters/max-in-flight.js";
import type { DeletionOptions } from "../../server/registry/deletion.js";
import type { WatchCacheChoice } from "../../server/storage/create-storage.js";
import type { EtcdConnection } from "../open-storage.js";
import type { Conduct } from "../../server/generic/conduct.js";
import { readConduct } from "../stages/conduct-flags.js";
import type { AuthenticationOptions } from "../options/authentication-options.js";
import type { AuthorizationOptions } from "../options/authorization-options.js";
import type { NamedCertificateFiles } from "../options/tls-options.js";
import { readAuthentication } from "./authentication-flags.js";
import { readAuthorization } from "./authorization-flags.js";
import { readWatchCache } from "./watch-cache-flags.js";

/** What the flags of kube-apiserver say. Files are named as the process can open them; "" is a flag that was not given. */
export interface ApiServerOptions {
  readonly bindAddress: string;
  readonly advertiseAddress: string;
  /** Undefined: the port that the server listens on. */
  readonly advertisePort: number | undefined;
  readonly externalHost: string;
  readonly securePort: number;
  readonly certDir: string;
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Go's name of a version, or "". */
  readonly tlsMinVersion: string;
  /** Go's names of suites. */
  readonly tlsCipherSuites: readonly string[];
  readonly tlsSniCertKeys: readonly NamedCertificateFiles[];
  readonly http2: boolean;
  /** Of an HTTP/2 connection; 0 for the default. */
  readonly http2MaxStreams: number;
  readonly clientCaFile: string;
  /** The first is in new tokens. */
  readonly serviceAccountIssuers: readonly string[];
  readonly serviceAccountKeyFiles: readonly string[];
  readonly serviceAccountSigningKeyFile: string;
  readonly serviceAccountLookup: boolean;
  readonly apiAudiences: readonly string[];
  /** In milliseconds; 0 for any. */
  readonly serviceAccountMaxTokenExpiration: number;
  readonly serviceAccountExtendTokenExpiration: boolean;
  readonly serviceAccountJwksUri: string;
  readonly authentication: AuthenticationOptions;
  /** A block of IPv4 addresses. */
  readonly serviceClusterIpRange: string;
  readonly serviceNodePortRange: PortRange;
  /** 0 for none. */
  readonly kubernetesServiceNodePort: number;
  readonly keepsEndpoints: boolean;
  readonly etcd: EtcdConnection;
  readonly storageMediaType: StorageMediaType;
  readonly watchCache: WatchCacheChoice;
  /** In milliseconds. */
  readonly initializationTimeout: number;
  readonly deletion: DeletionOptions;
  readonly egressSelectorConfigFile: string;
  /** Undefined: what the etcd takes. */
  readonly maxObjectBytes: number | undefined;
  /** In seconds; 0 for ever. */
  readonly eventTtl: number;
  readonly allowPrivileged: boolean;
  readonly kubelets: KubeletOptions;
  /** How the server answers and stops. */
  readonly conduct: Conduct;
  readonly inFlight: InFlightLimits;
  readonly runtimeConfig: RuntimeConfig;
  /** In the absence of a configuration file it names at least one mode. */
  readonly authorization: AuthorizationOptions;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  readonly admissionControlConfigFile: string;
  /** Undefined: what the plugin has by default, or its configuration says. */
  readonly defaultTolerationSeconds: DefaultTolerationSecondsConfiguration | undefined;
}

/** How the server speaks to kubelets. */
export interface KubeletOptions {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly addressTypes: readonly string[];
}

/** kube-apiserver's default of --service-cluster-ip-range. */
const SERVICE_RANGE = "10.0.0.0/24";

/** Reads the flags, which {@link optionFaults} has nothing against. Relative paths begin at `cwd`. */
export function readOptions(flags: Flags, cwd: string): ApiServerOptions {
  const file = (name: string): string => (flags.string(name) === "" ? "" : resolve(cwd, flags.string(name)));
  const bindAddress = ipOf(flags.string("bind-address")) ?? "0.0.0.0";
  const advertiseAddress = ipOf(flags.string("advertise-address")) ?? reachable(bindAddress);
  return {
    bindAddress,
    advertiseAddress,
    advertisePort: flags.number("advertise-port") === 0 ? undefined : flags.number("advertise-port"),
    externalHost: flags.string("external-hostname") || advertiseAddress,
    securePort: flags.number("secure-port"),
    certDir: file("cert-dir"),
    tlsCertFile: file("tls-cert-file"),
    tlsPrivateKeyFile: file("tls-private-key-file"),
    tlsMinVersion: flags.string("tls-min-version"),
    tlsCipherSuites: flags.strings("tls-cipher-suites"),
    tlsSniCertKeys: flags.strings("tls-sni-cert-key").map((value) => namedFiles(value, cwd)),
    http2: !flags.bool("disable-http2-serving"),
    http2MaxStreams: flags.number("http2-max-streams-per-connection"),
    clientCaFile: file("client-ca-file"),
    serviceAccountIssuers: flags.strings("service-account-issuer"),
    serviceAccountKeyFiles: flags.strings("service-account-key-file").map((one) => resolve(cwd, one)),
    serviceAccountSigningKeyFile: file("service-account-signing-key-file"),
    serviceAccountLookup: flags.bool("service-account-lookup"),
    apiAudiences: flags.strings("api-audiences"),
    serviceAccountMaxTokenExpiration: flags.duration("service-account-max-token-expiration"),
    serviceAccountExtendTokenExpiration: flags.bool("service-account-extend-token-expiration"),
    serviceAccountJwksUri: flags.string("service-account-jwks-uri"),
    authentication: readAuthentication(flags, file),
    serviceClusterIpRange: flags.string("service-cluster-ip-range").split(",")[0] || SERVICE_RANGE,
    serviceNodePortRange: parsePortRange(flags.string("service-node-port-range")),
    kubernetesServiceNodePort: flags.number("kubernetes-service-node-port"),
    keepsEndpoints: flags.string("endpoint-reconciler-type") !== "none",
    etcd: readEtcd(flags, file),
    storageMediaType: storageMediaTypeOf(flags),
    watchCache: readWatchCache(flags),
    initializationTimeout: flags.duration("storage-initialization-timeout"),
    egressSelectorConfigFile: file("egress-selector-config-file"),
    deletion: {
      collectionWorkers: flags.number("delete-collection-workers"),
      garbageCollector: flags.bool("enable-garbage-collector"),
    },
    maxObjectBytes: flags.changed("max-object-bytes") ? flags.number("max-object-bytes") : undefined,
    eventTtl: flags.duration("event-ttl") / 1000,
    allowPrivileged: flags.bool("allow-privileged"),
    kubelets: {
      caFile: file("kubelet-certificate-authority"),
      certFile: file("kubelet-client-certificate"),
      keyFile: file("kubelet-client-key"),
      addressTypes: flags.strings("kubelet-preferred-address-types"),
    },
    conduct: readConduct(flags),
    inFlight: {
      readOnly: flags.number("max-requests-inflight"),
      mutating: flags.number("max-mutating-requests-inflight"),
    },
    runtimeConfig: readRuntimeConfig(servedVersions(flags.strings("runtime-config"))),
    authorization: readAuthorization(flags, file),
    enableAdmissionPlugins: flags.strings("enable-admission-plugins"),
    disableAdmissionPlugins: flags.strings("disable-admission-plugins"),
    admissionControlConfigFile: file("admission-control-config-file"),
    defaultTolerationSeconds: readTolerations(flags),
  };
}

/** The entries of --runtime-config without "api/legacy", which has meant nothing for long. */
export const servedVersions = (entries: readonly string[]): readonly string[] =>
  entries.filter((entry) => !/^api\/legacy(=|$)/.test(entry));

/** Forms that a server of kubets stores objects in. */
export const STORAGE_MEDIA_TYPES: readonly StorageMediaType[] = [
  "application/json",
  "application/vnd.kubernetes.protobuf",
];

const storageMediaTypeOf = (flags: Flags): StorageMediaType =>
  STORAGE_MEDIA_TYPES.find((one) => one === flags.string("storage-media-type")) ?? "application/json";

/** An address of this machine that others may reach, where the server listens on all of them. */
function reachable(bindAddress: string): string {
  if (bindAddress !== "0.0.0.0" && bindAddress !== "::") return bindAddress;
  const others = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return others.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";
}

function namedFiles(value: string, cwd: string): NamedCertificateFiles {
  const { certFile, keyFile, ...names } = parseSniCertKey(value);
  const path = (name: string): string => (name === "" ? "" : resolve(cwd, name));
  return { certFile: path(certFile), keyFile: path(keyFile), ...names };
}

function readEtcd(flags: Flags, file: (name: string) => string): EtcdConnection {
  return {
    servers: flags.strings("etcd-servers"),
    prefix: flags.string("etcd-prefix"),
    healthTimeout: flags.duration("etcd-healthcheck-timeout"),
    readyTimeout: flags.duration("etcd-readycheck-timeout"),
    compactionInterval: flags.duration("etcd-compaction-interval"),
    leaseReuseSeconds: flags.number("lease-reuse-duration-seconds"),
    ...(flags.string("etcd-cafile") !== "" && { caFile: file("etcd-cafile") }),
    ...(flags.string("etcd-certfile") !== "" && { certFile: file("etcd-certfile") }),
    ...(flags.string("etcd-keyfile") !== "" && { keyFile: file("etcd-keyfile") }),
  };
}

function readTolerations(flags: Flags): DefaultTolerationSecondsConfiguration | undefined {
  const seconds = {
    defaultNotReadyTolerationSeconds: flags.number("default-not-ready-toleration-seconds"),
    defaultUnreachableTolerationSeconds: flags.number("default-unreachable-toleration-seconds"),
  };
  const areGiven =
    flags.changed("default-not-ready-toleration-seconds") || flags.changed("default-unreachable-toleration-seconds");
  return areGiven ? seconds : undefined;
}
