import { placeFaults } from "../../component/apiserver-flags/own.js";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { servedResources } from "../../api/facts/index.js";
import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import { errorMessage } from "../../base/text/error-message.js";
import { servedVersions } from "../../component/apiserver-flags/api-enablement.js";
import { kubernetesOptions } from "../../component/apiserver-flags/miscellaneous.js";
import { servingOptions } from "../../component/apiserver-flags/secure-serving.js";
import { serverOptionTable } from "../../component/apiserver-flags/server-options.js";
import { parsePortRange } from "../../component/apiserver-flags/values.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { readRuntimeConfig } from "../../component/flags/pairs.js";
import { optionFaults as groupFaults, readOptions, readWithDefaults } from "../../component/option-group.js";
import { emulationFaults } from "../../component/apiserver-flags/emulation.js";
import { serverFaults } from "../options/server-faults.js";
import { readFeatureGates, readVersionFlags } from "./feature-gates.js";
import { watchCacheFaults } from "./watch-cache-flags.js";
import { kubeAuthentication, kubeAuthorization } from "./serve-api.js";

/** The versions of the API have a function of their own. */
const { runtimeConfig: _, ...serverTable } = serverOptionTable;

/** Returns all that is wrong with the values of the flags, in kube-apiserver's words and order. Relative paths begin at `cwd`. */
export function optionFaults(flags: Flags, cwd: string): readonly string[] {
  const { authentication, authorization, ...server } = readOptions(serverTable, flags, cwd);
  return [
    ...gateFaults(flags),
    ...etcdFaults(flags),
    ...fairnessFaults(flags),
    ...groupFaults(servingOptions, readWithDefaults(servingOptions, flags, cwd)),
    ...requiredFaults(flags),
    ...serverFaults({
      ...server,
      authentication: kubeAuthentication(authentication),
      authorization: kubeAuthorization(authorization),
    }),
    ...runtimeConfigFaults(flags),
    ...tokenFaults(flags),
    ...egressFaults(flags, cwd),
    ...serviceFaults(flags),
    ...miscFaults(flags),
    ...groupFaults(kubernetesOptions, readOptions(kubernetesOptions, flags, cwd)),
  ];
}

function etcdFaults(flags: Flags): readonly string[] {
  const faults: string[] = [];
  const storage = flags.string("storage");
  const hasServers = flags.strings("etcd-servers").length > 0;
  if (storage === "" && !hasServers) faults.push("--etcd-servers must be specified");
  faults.push(...placeFaults(flags));
  const backend = flags.string("storage-backend");
  if (backend !== "" && backend !== "etcd3") {
    faults.push("--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'");
  }
  if (flags.bool("encryption-provider-config-automatic-reload") && flags.string("encryption-provider-config") === "") {
    faults.push("--encryption-provider-config-automatic-reload must be set with --encryption-provider-config");
  }
  faults.push(...watchCacheFaults(flags));
  return faults;
}

/** Priority and fairness reads its own API. */
function fairnessFaults(flags: Flags): readonly string[] {
  if (!flags.bool("enable-priority-and-fairness")) return [];
  const entries = flags.strings("runtime-config");
  for (const key of ["flowcontrol.apiserver.k8s.io/v1", "api/ga", "api/all"]) {
    if (entries.includes(`${key}=false`)) {
      return [`--runtime-config=${key}=false conflicts with --enable-priority-and-fairness=true`];
    }
    if (entries.includes(`${key}=true`)) return [];
  }
  return [];
}

function requiredFaults(flags: Flags): readonly string[] {
  return [
    ...(flags.strings("service-account-issuer").length === 0 ? ["service-account-issuer is a required flag"] : []),
    ...(hasTokenKeys(flags) ? [] : ["service-account-key-file is a required flag"]),
  ];
}

/** kube-apiserver takes the key of its certificate where no key of tokens is named at all. */
const hasTokenKeys = (flags: Flags): boolean =>
  flags.strings("service-account-key-file").length > 0 ||
  (flags.string("service-account-signing-key-file") === "" && flags.string("tls-private-key-file") !== "");

function tokenFaults(flags: Flags): readonly string[] {
  const signer = flags.string("service-account-signing-key-file");
  const [issuer = ""] = flags.strings("service-account-issuer");
  if (signer === "" && issuer === "" && flags.strings("api-audiences").length === 0) {
    return ["--service-account-signing-key-file and --service-account-issuer are required flags"];
  }
  if (signer !== "" && issuer !== "") return [];
  return [
    "--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together",
  ];
}

function runtimeConfigFaults(flags: Flags): readonly string[] {
  const entries = servedVersions(flags.strings("runtime-config"));
  if (entries.length === 1 && entries[0] === "api/all=false") return ["invalid runtime-config with only api/all=false"];
  let versions: readonly string[];
  try {
    versions = Object.keys(readRuntimeConfig(entries));
  } catch (error) {
    return [errorMessage(error)];
  }
  const groups = new Set(servedResources({ "api/all": true }).map(({ group }) => group));
  const unknown = versions.filter((version) => {
    const [group = "", rest] = version.split("/");
    return group !== "api" && rest !== undefined && !groups.has(group);
  });
  return unknown.length === 0 ? [] : [`unknown api groups ${unknown.toSorted().join(",")}`];
}

/** Those of the version that the server is to be; the flag of the version itself has its own faults. */
/** The gates of a version that is wrong are not asked for: the faults of the version come with those of the server. */
function gateFaults(flags: Flags): readonly string[] {
  const version = readVersionFlags(flags);
  return emulationFaults(version).length > 0 ? [] : readFeatureGates(flags.strings("feature-gates"), version).faults;
}

function egressFaults(flags: Flags, cwd: string): readonly string[] {
  const file = flags.string("egress-selector-config-file");
  if (file === "" || existsSync(resolve(cwd, file))) return [];
  return [`egress-selector-config-file ${file} does not exist`];
}

function serviceFaults(flags: Flags): readonly string[] {
  const faults: string[] = [];
  const ranges = flags.string("service-cluster-ip-range").split(",");
  const [first = ""] = ranges;
  if (ranges.length > 2) faults.push("--service-cluster-ip-range must not contain more than two entries");
  if (first !== "" && parseIpv4Prefix(first) === undefined) {
    faults.push(`--service-cluster-ip-range must begin with a block of IPv4 addresses, not ${JSON.stringify(first)}`);
  }
  const port = flags.number("kubernetes-service-node-port");
  if (port < 0 || port > 65_535) {
    faults.push(
      `--kubernetes-service-node-port ${port} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
    );
  }
  const range = parsePortRange(flags.string("service-node-port-range"));
  if (port > 0 && (port < range.first || port > range.last)) {
    faults.push(`kubernetes service node port range ${range.first}-${range.last} doesn't contain ${port}`);
  }
  return faults;
}

const RECONCILERS = ["master-count", "lease", "none"];

function miscFaults(flags: Flags): readonly string[] {
  const faults: string[] = [];
  const count = flags.number("apiserver-count");
  if (count <= 0) faults.push(`--apiserver-count should be a positive number, but value '${count}' provided`);
  const reconciler = flags.string("endpoint-reconciler-type");
  if (!RECONCILERS.includes(reconciler)) faults.push(`endpoint reconciler not implemented: ${reconciler}`);
  const [certificate, key] = [flags.string("kubelet-client-certificate"), flags.string("kubelet-client-key")];
  if ((certificate === "") !== (key === "")) {
    faults.push("--kubelet-client-certificate and --kubelet-client-key must be specified together");
  }
  return faults;
}
