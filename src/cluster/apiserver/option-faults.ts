import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { servedResources } from "../../api/facts/index.js";
import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { parsePortRange } from "../../component/apiserver-flags/values.js";
import { conductFaults } from "../../server/generic/conduct.js";
import { readConduct } from "../stages/conduct-flags.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { readRuntimeConfig } from "../../component/flags/pairs.js";
import { ADMISSION_PLUGINS } from "../../server/admission/table.js";
import { problemsOf as authenticationProblems } from "../options/authentication-options.js";
import { authorizationProblems } from "../options/authorization-options.js";
import { auditFaults } from "./audit-faults.js";
import { readAuthentication } from "./authentication-flags.js";
import { readAuthorization } from "./authorization-flags.js";
import { readFeatureGates } from "./feature-gates.js";
import { servedVersions, STORAGE_MEDIA_TYPES } from "./options.js";
import { watchCacheFaults } from "./watch-cache-flags.js";

/** Returns all that is wrong with the values of the flags, in kube-apiserver's words and order. Relative paths begin at `cwd`. */
export function optionFaults(flags: Flags, cwd: string): readonly string[] {
  return [
    ...readFeatureGates(flags.strings("feature-gates")).faults,
    ...genericFaults(flags),
    ...etcdFaults(flags),
    ...fairnessFaults(flags),
    ...servingFaults(flags),
    ...authenticationFaults(flags),
    ...authorizationProblems(readAuthorization(flags, (name) => flags.string(name))),
    ...auditFaults(flags),
    ...admissionFaults(flags),
    ...runtimeConfigFaults(flags),
    ...tokenFaults(flags),
    ...egressFaults(flags, cwd),
    ...serviceFaults(flags),
    ...miscFaults(flags),
  ];
}

function genericFaults(flags: Flags): readonly string[] {
  const faults: string[] = [];
  const notNegative = (isNegative: boolean, fault: string): void => void (isNegative && faults.push(fault));
  const count = (name: string): boolean => flags.number(name) < 0;
  for (const name of ["max-requests-inflight", "max-mutating-requests-inflight"]) {
    notNegative(count(name), `--${name} can not be negative value`);
  }
  notNegative(
    flags.duration("storage-initialization-timeout") < 0,
    "--storage-initialization-timeout can not be negative value",
  );
  faults.push(...conductFaults(readConduct(flags)));
  for (const [name, field] of [
    ["emulation-forward-compatible", "EmulationForwardCompatible"],
    ["runtime-config-emulation-forward-compatible", "RuntimeConfigEmulationForwardCompatible"],
  ] as const) {
    if (!flags.bool(name)) continue;
    faults.push(
      `ServerRunOptions.${field} cannot be set to true if the emulation version is the same as the binary version`,
    );
  }
  return faults;
}

function etcdFaults(flags: Flags): readonly string[] {
  const faults: string[] = [];
  if (flags.strings("etcd-servers").length === 0) faults.push("--etcd-servers must be specified");
  const backend = flags.string("storage-backend");
  if (backend !== "" && backend !== "etcd3") {
    faults.push("--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'");
  }
  if (flags.bool("encryption-provider-config-automatic-reload") && flags.string("encryption-provider-config") === "") {
    faults.push("--encryption-provider-config-automatic-reload must be set with --encryption-provider-config");
  }
  const form = flags.string("storage-media-type");
  if (form !== "" && !STORAGE_MEDIA_TYPES.some((one) => one === form)) {
    faults.push(`--storage-media-type ${goQuote(form)} invalid, allowed values: ${STORAGE_MEDIA_TYPES.join(", ")}`);
  }
  faults.push(...watchCacheFaults(flags));
  if (flags.number("max-object-bytes") < 0) faults.push("--max-object-bytes can not be negative value");
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

function servingFaults(flags: Flags): readonly string[] {
  const port = flags.number("secure-port");
  if (port >= 1 && port <= 65_535) return [];
  return [`--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`];
}

function authenticationFaults(flags: Flags): readonly string[] {
  const issuers = flags.strings("service-account-issuer");
  const longest = flags.duration("service-account-max-token-expiration");
  const problems = authenticationProblems({
    ...readAuthentication(flags, (name) => flags.string(name)),
    serviceAccounts: {
      issuers,
      keysUrl: flags.string("service-account-jwks-uri"),
      ...(longest !== 0 && { maxTokenExpirationSeconds: longest / 1000 }),
    },
  });
  return [
    ...(issuers.length === 0 ? ["service-account-issuer is a required flag"] : []),
    ...(hasTokenKeys(flags) ? [] : ["service-account-key-file is a required flag"]),
    ...problems,
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

function admissionFaults(flags: Flags): readonly string[] {
  const known = new Set(ADMISSION_PLUGINS.map(({ name }) => name));
  const [enabled, disabled] = [flags.strings("enable-admission-plugins"), flags.strings("disable-admission-plugins")];
  const unknown = (flag: string, names: readonly string[]): readonly string[] =>
    names.filter((name) => !known.has(name)).map((name) => `${flag} plugin ${goQuote(name)} is unknown`);
  const both = [...new Set(enabled.filter((name) => disabled.includes(name)))].sort();
  return [
    ...unknown("enable-admission-plugins", enabled),
    ...unknown("disable-admission-plugins", disabled),
    ...(both.length === 0
      ? []
      : [`[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
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
  if (flags.duration("event-ttl") < 0) faults.push("--event-ttl can not be negative value");
  return faults;
}
