import { networkInterfaces } from "node:os";
import { withFormerBackoff } from "../../component/apiserver-flags/auditing.js";
import { clientOptions } from "../../component/apiserver-flags/authentication.js";
import { storageOptions } from "../../component/apiserver-flags/etcd.js";
import { identityOptions, tolerationOptions } from "../../component/apiserver-flags/generic.js";
import { aggregatorOptions, kubeletOptions, kubernetesOptions } from "../../component/apiserver-flags/miscellaneous.js";
import { ownOptions, placeOptions } from "../../component/apiserver-flags/own.js";
import { listeningOptions, servingOptions } from "../../component/apiserver-flags/secure-serving.js";
import { serverOptionTable } from "../../component/apiserver-flags/server-options.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { type OptionGroup, type OptionsOf, readOptions, readWithDefaults } from "../../component/option-group.js";
import type { FeatureGates } from "../options/server-options.js";
import { changedGatesOf } from "./feature-gates.js";
import { readWatchCache } from "./watch-cache-flags.js";

/** What kube-apiserver says beside the options that every server has. */
const programOptions = {
  ...identityOptions,
  ...placeOptions,
  ...ownOptions,
  ...listeningOptions,
  ...servingOptions,
  storageMediaType: storageOptions.storageMediaType,
  ...clientOptions,
  ...kubernetesOptions,
  kubelets: kubeletOptions,
  aggregator: aggregatorOptions,
} as const satisfies OptionGroup;

type ProgramOptions = OptionsOf<typeof programOptions>;

/** The values of kube-apiserver's flags, with its defaults. */
export interface ApiServerOptions extends ProgramOptions {
  /** The options that every server has, of those flags that were given. */
  readonly server: OptionsOf<typeof serverOptionTable> & { readonly featureGates: FeatureGates };
  readonly host: string;
  readonly advertiseAddress: string;
  readonly externalHost: string;
  readonly serviceClusterIpRange: string;
  /** Whether /logs has the files of the folder of logs. */
  readonly servesLogs: boolean;
  /** Undefined: what the plugin has by default, or its configuration says. */
  readonly tolerations: Required<OptionsOf<typeof tolerationOptions>> | undefined;
}

/** kube-apiserver's default of --service-cluster-ip-range. */
const SERVICE_RANGE = "10.0.0.0/24";

/** Reads the flags, which {@link optionFaults} has validated. Relative paths begin at `cwd`. */
export function readApiServerOptions(flags: Flags, cwd: string): ApiServerOptions {
  const program = readWithDefaults(programOptions, flags, cwd);
  const { host = "0.0.0.0", serviceClusterIpRange: ranges = SERVICE_RANGE } = program;
  const { advertiseAddress = reachable(host), externalHost = advertiseAddress } = program;
  const [serviceClusterIpRange = SERVICE_RANGE] = ranges.split(",");
  const given = readOptions(serverOptionTable, flags, cwd);
  const audit = withFormerBackoff(given.audit, flags);
  const server = {
    ...given,
    ...(audit && { audit }),
    inFlight: readWithDefaults(serverOptionTable.inFlight, flags, cwd),
    watchCache: readWatchCache(flags),
    featureGates: changedGatesOf(flags.strings("feature-gates"), given),
  };
  const tolerations = tolerationsOf(flags, cwd);
  const servesLogs = flags.bool("enable-logs-handler");
  return { ...program, servesLogs, server, host, advertiseAddress, externalHost, serviceClusterIpRange, tolerations };
}

function tolerationsOf(flags: Flags, cwd: string): ApiServerOptions["tolerations"] {
  if (Object.keys(readOptions(tolerationOptions, flags, cwd)).length === 0) return undefined;
  return readWithDefaults(tolerationOptions, flags, cwd) as Required<OptionsOf<typeof tolerationOptions>>;
}

/** An address of this machine that others may reach, where the server listens on all of them. */
function reachable(bindAddress: string): string {
  if (bindAddress !== "0.0.0.0" && bindAddress !== "::") return bindAddress;
  const others = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return others.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";
}
