// Writes src/api/types: TypeScript declarations of every API type of the newest version of Kubernetes, one file for each Go package
// (core/v1.ts, apps/v1.ts, meta/v1.ts), and index.ts with the preferred version of every kind; and for client.of, in
// src/api/kinds, the map from "apps/v1/Deployment" to its declaration and the scopes of kinds. They are made of the API
// facts in src/api/facts/data. Usage: node tools/generate-api-types.mjs
//
// A field is required where OpenAPI requires it, and optional otherwise; in kinds that no OpenAPI has (AdmissionReview),
// it is required where Go always sends it. It is `| null` where Go sends null for an empty value: lists, maps and pointers
// without omitempty, and times that are no pointers.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { factsOfVersion } from "./api-facts/facts-of-version.mjs";
import { NEWEST_VERSION } from "./api-facts/versions.mjs";

const root = join(import.meta.dirname, "..");
const folder = join(root, "src/api/types");
const kindsFile = join(root, "src/api/kinds/built-in-kinds.ts");
const scopesFile = join(root, "src/api/kinds/scopes.ts");
const MADE = "// Made by tools/generate-api-types.mjs of the API facts.\n";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Packages of kinds that are sent and are no resource: the bodies of webhooks and discovery. */
const SENT = ["io.k8s.api.admission.v1", "io.k8s.api.apidiscovery.v2", "io.k8s.api.imagepolicy.v1alpha1"];
/** Packages of served kinds that have other kinds beside them (ConversionReview, PodLogOptions). */
const SENT_BESIDE = ["io.k8s.api.core.v1", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1", META];

/** Types that src/machinery/meta/object.ts declares: every object has them, built-in or not. */
const DECLARED = ["ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "ShardInfo"];

const SCALARS = {
  any: "unknown",
  bool: "boolean",
  bytes: "Base64",
  duration: "Duration",
  float64: "number",
  int32: "number",
  int64: "Int64",
  intOrString: "IntOrString",
  microTime: "MicroTime",
  quantity: "Quantity",
  string: "string",
  time: "Time",
};

/** Types of JSON that the facts call "any", by their Go names. */
const JSON_TYPES = {
  FieldsV1: "FieldsV1",
  JSON: "unknown",
  JSONSchemaPropsOrArray: "JSONSchemaProps | JSONSchemaProps[]",
  JSONSchemaPropsOrBool: "JSONSchemaProps | boolean",
  JSONSchemaPropsOrStringArray: "JSONSchemaProps | string[]",
  RawExtension: "RawExtension",
};

const SCALAR_DECLARATIONS = `\
/** Bytes in base64 with padding. */
export type Base64 = string;

/** A length of time as Go writes it: "1h30m0s". */
export type Duration = string;

/** The fields that a manager owns, as server-side apply records them: \`{"f:spec": {"f:replicas": {}}}\`. */
export type FieldsV1 = JsonObject;

/**
 * A 64-bit integer. The client returns an integer beyond ±(2^53 - 1) as a bigint, so that no digit is lost, although the
 * type says number. No field of a built-in kind gets that far in practice.
 */
export type Int64 = number;

/** A number, or a string such as a percentage ("25%") or the name of a port. */
export type IntOrString = number | string;

/** A time in RFC 3339 with six digits of a second, in UTC: "2026-01-02T03:04:05.000006Z". */
export type MicroTime = string;

/** A number with a unit: "100m", "1.5Gi". A plain number is accepted too, and a server returns a string; quantityAsNumber of "kubets" reads both. */
export type Quantity = string | number;

/** An object of any kind, as JSON. */
export type RawExtension = unknown;

/** A time in RFC 3339 in whole seconds, in UTC: "2026-01-02T03:04:05Z". */
export type Time = string;
`;

/** Lists that are required and may be empty, which Go sends as null. */
const NULL_ALTHOUGH_REQUIRED = new Set(["core.v1.LimitRangeSpec.limits", "storage.v1.CSINodeSpec.drivers"]);
/** Times that are required and are null in objects that were written through another version of the kind. */
const NULL_TIMES = new Set(["events.v1.Event.eventTime"]);

const CONDITION_STATUS = ["False", "True", "Unknown"];
/** Values of string types that Go does not mark as enums although validation or conversion accepts no others. */
const CLOSED = {
  "admission.v1.Operation": ["CONNECT", "CREATE", "DELETE", "UPDATE"],
  "admission.v1.PatchType": ["JSONPatch"],
  "admissionregistration.v1.ParameterNotFoundActionType": ["Allow", "Deny"],
  "admissionregistration.v1beta1.FailurePolicyType": ["Fail", "Ignore"],
  "admissionregistration.v1beta1.MatchPolicyType": ["Equivalent", "Exact"],
  "admissionregistration.v1beta1.ParameterNotFoundActionType": ["Allow", "Deny"],
  "apiextensions.v1.ConditionStatus": CONDITION_STATUS,
  "apiextensions.v1.ConversionStrategyType": ["None", "Webhook"],
  "apiextensions.v1.ResourceScope": ["Cluster", "Namespaced"],
  "apiregistration.v1.ConditionStatus": CONDITION_STATUS,
  "apiserverinternal.v1alpha1.ConditionStatus": CONDITION_STATUS,
  "apps.v1.PersistentVolumeClaimRetentionPolicyType": ["Delete", "Retain"],
  "autoscaling.v2.HPAScalingPolicyType": ["Percent", "Pods"],
  "autoscaling.v2.MetricSourceType": ["ContainerResource", "External", "Object", "Pods", "Resource"],
  "autoscaling.v2.MetricTargetType": ["AverageValue", "Utilization", "Value"],
  "autoscaling.v2.ScalingPolicySelect": ["Disabled", "Max", "Min"],
  "core.v1.ConditionStatus": CONDITION_STATUS,
  "core.v1.ContainerRestartPolicy": ["Always", "Never", "OnFailure"],
  "core.v1.ContainerRestartRuleAction": ["Restart", "RestartAllContainers"],
  "core.v1.ContainerRestartRuleOnExitCodesOperator": ["In", "NotIn"],
  "core.v1.LoadBalancerIPMode": ["Proxy", "VIP"],
  "core.v1.OSName": ["linux", "windows"],
  "core.v1.PodSELinuxChangePolicy": ["MountOption", "Recursive"],
  "core.v1.RecursiveReadOnlyMode": ["Disabled", "Enabled", "IfPossible"],
  "core.v1.ResourceResizeRestartPolicy": ["NotRequired", "RestartContainer"],
  "discovery.v1.AddressType": ["FQDN", "IPv4", "IPv6"],
  "flowcontrol.v1.ConditionStatus": CONDITION_STATUS,
  "flowcontrol.v1.FlowDistinguisherMethodType": ["ByNamespace", "ByUser"],
  "flowcontrol.v1.LimitResponseType": ["Queue", "Reject"],
  "flowcontrol.v1.PriorityLevelEnablement": ["Exempt", "Limited"],
  "flowcontrol.v1.SubjectKind": ["Group", "ServiceAccount", "User"],
  "meta.v1.ConditionStatus": CONDITION_STATUS,
  "meta.v1.DeletionPropagation": ["Background", "Foreground", "Orphan"],
  "meta.v1.FieldSelectorOperator": ["DoesNotExist", "Exists", "In", "NotIn"],
  "meta.v1.LabelSelectorOperator": ["DoesNotExist", "Exists", "In", "NotIn"],
  "meta.v1.ResourceVersionMatch": ["Exact", "NotOlderThan"],
  "networking.v1.PathType": ["Exact", "ImplementationSpecific", "Prefix"],
  "resource.v1.DeviceAllocationMode": ["All", "ExactCount"],
  "resource.v1beta1.DeviceAllocationMode": ["All", "ExactCount"],
  "resource.v1beta2.DeviceAllocationMode": ["All", "ExactCount"],
  "storage.v1.FSGroupPolicy": ["File", "None", "ReadWriteOnceWithFSType"],
  "storage.v1.VolumeLifecycleMode": ["Ephemeral", "Persistent"],
};
/** Well-known values of string types that take others too: an editor offers them, and any string is accepted. */
const OPEN = {
  "apiextensions.v1.CustomResourceDefinitionConditionType": ["Established", "NamesAccepted", "NonStructuralSchema"],
  "apiregistration.v1.APIServiceConditionType": ["Available"],
  "apps.v1.DeploymentConditionType": ["Available", "Progressing", "ReplicaFailure"],
  "autoscaling.v2.HorizontalPodAutoscalerConditionType": ["AbleToScale", "ScalingActive", "ScalingLimited"],
  "batch.v1.JobConditionType": ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "Suspended"],
  "certificates.v1.RequestConditionType": ["Approved", "Denied", "Failed"],
  "core.v1.LimitType": ["Container", "PersistentVolumeClaim", "Pod"],
  "core.v1.NodeAddressType": ["ExternalDNS", "ExternalIP", "Hostname", "InternalDNS", "InternalIP"],
  "core.v1.NodeConditionType": ["DiskPressure", "MemoryPressure", "NetworkUnavailable", "PIDPressure", "Ready"],
  "core.v1.PodConditionType": ["ContainersReady", "DisruptionTarget", "Initialized", "PodScheduled", "Ready"],
  "core.v1.SecretType": [
    "Opaque",
    "kubernetes.io/basic-auth",
    "kubernetes.io/dockerconfigjson",
    "kubernetes.io/service-account-token",
    "kubernetes.io/ssh-auth",
    "kubernetes.io/tls",
  ],
};

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const split = (definition) => {
  const dot = definition.lastIndexOf(".");
  return [definition.slice(0, dot), definition.slice(dot + 1)];
};
const aliasOf = (packageName) => packageName.split(".").slice(-2).join(".");
/** "core/v1" of io.k8s.api.core.v1, "version" of io.k8s.apimachinery.pkg.version. */
const pathOf = (packageName) =>
  packageName.endsWith(".pkg.version") ? "version" : aliasOf(packageName).replace(".", "/");
const quoted = (values) => values.map((value) => JSON.stringify(value)).join(" | ");

/** The files, by their paths, as the facts of the working tree make them. */
export function apiTypes() {
  const { published, unpublished } = factsOfVersion(NEWEST_VERSION);
  const types = new ApiTypes(published, unpublished);
  const files = new Map();
  for (const packageName of types.packages) {
    files.set(join(folder, `${pathOf(packageName)}.ts`), types.packageFile(packageName));
  }
  files.set(join(folder, "index.ts"), types.indexFile());
  files.set(kindsFile, types.kindsFile());
  files.set(scopesFile, types.scopesFile());
  return files;
}

class ApiTypes {
  #facts;
  #enums;
  #kinds;
  /** Package to type name to line, of what is declared. */
  #lines = new Map();
  /** Package to the type names that its file declares. */
  #declared = new Map();

  constructor(facts, unpublished) {
    this.#facts = facts;
    this.#enums = { ...facts.enums, ...unpublished.enums };
    this.#kinds = { ...facts.kinds, ...unpublished.kinds };
    for (const name of ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]) {
      this.#kinds[`${META}.${name}`] = [`meta.k8s.io/v1/${name}`];
    }
    for (const [packageName, lines] of Object.entries(facts.definitions)) this.#lines.set(packageName, { ...lines });
    for (const packageName of [...SENT, ...SENT_BESIDE]) {
      this.#lines.set(packageName, { ...unpublished.definitions[packageName], ...this.#lines.get(packageName) });
    }
    // Emission finds the enums and aliases that a package needs; a first round settles them before any import is written.
    for (const packageName of this.packages) this.#declarations(packageName);
  }

  get packages() {
    return [...this.#lines.keys()].sort(byText);
  }

  packageFile(packageName) {
    const imports = new Map();
    const declarations = this.#declarations(packageName, imports);
    const path = pathOf(packageName);
    const up = "../".repeat(path.split("/").length - 1) || "./";
    const head = [...imports]
      .map(([from, names]) => [`${up}${pathOf(from)}.js`, names])
      .sort(([a], [b]) => byText(a, b))
      .map(([from, names]) => formatNames("import type", [...names].sort(byText), from));
    if (packageName === META) {
      head.push(`import type { JsonObject } from "../../../machinery/meta/json.js";`);
      head.push(formatNames("import type", ["ListMeta", "ObjectMeta"], "../../../machinery/meta/object.js"));
      head.push(formatNames("export type", DECLARED, "../../../machinery/meta/object.js"));
      declarations.unshift(SCALAR_DECLARATIONS);
    }
    return [MADE + (head.length > 0 ? `${head.join("\n")}\n` : ""), ...declarations].join("\n");
  }

  /** The declarations of a package, and in `imports` the names that they take from other packages. */
  #declarations(packageName, imports = new Map()) {
    const aliases = new Map();
    const scope = { packageName, imports, aliases };
    const interfaces = Object.entries(this.#lines.get(packageName))
      .filter(([name]) => packageName !== META || !DECLARED.includes(name))
      .sort(([a], [b]) => byText(a, b))
      .map(([name, line]) => this.#interface(scope, name, line));
    const declared = this.#declared.get(packageName) ?? new Map();
    for (const [name, text] of aliases) declared.set(name, text);
    this.#declared.set(packageName, declared);
    const own = [...declared].sort(([a], [b]) => byText(a, b)).map(([, text]) => text);
    return [...own, ...interfaces];
  }

  #interface(scope, name, line) {
    const definition = `${scope.packageName}.${name}`;
    const kinds = this.#kinds[definition] ?? [];
    const [gvk] = kinds;
    // A list's stay strings, so that what ResourceClient.list returns is one.
    const isLiteral = kinds.length === 1 && !name.endsWith("List");
    const members = line
      .split(";")
      .filter((word) => word !== "" && !word.startsWith("@"))
      .map((word) => this.#member(scope, name, word, isLiteral ? gvk : undefined));
    const comment = this.#comment(definition);
    if (members.length === 0) return `${comment}export type ${name} = Record<string, never>;\n`;
    return `${comment}export interface ${name} {\n${members.map((member) => `  ${member};\n`).join("")}}\n`;
  }

  #comment(definition) {
    const resource = this.#facts.resources.find((one) => one.definition === definition);
    if (resource === undefined) return "";
    const { groupVersion, name, kind, namespaced, introduced, deprecated, removed, replacement } = resource;
    const since = introduced === undefined ? "" : `, since Kubernetes ${introduced}`;
    const scope = namespaced ? "Namespaced" : "Cluster-scoped";
    const text = `${kind} of ${groupVersion}${since}. ${scope}; resource \`${name}\`.`;
    if (deprecated === undefined || Number(deprecated.split(".")[1]) > 36) return `/** ${text} */\n`;
    const [group, version, instead] = replacement?.split(",") ?? [];
    const use = replacement === undefined ? "" : `: use ${group}/${version} ${instead}`;
    const until = removed === undefined ? "" : `, removed in ${removed}`;
    return `/**\n * ${text}\n * @deprecated since Kubernetes ${deprecated}${until}${use}.\n */\n`;
  }

  #member(scope, owner, word, gvk) {
    const [name, flags, goType, ...rest] = word.split(" ");
    const keys = new Map(rest.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]));
    const field = `${aliasOf(scope.packageName)}.${owner}.${name}`;
    const isItems = name === "items" && owner.endsWith("List");
    const optional = !isItems && !flags.includes("r") && (this.#isPublished(scope, owner) || flags !== "-");
    let type = this.#type(scope, goType, keys);
    if (gvk !== undefined && keys.get("i") === "TypeMeta") {
      const slash = gvk.lastIndexOf("/");
      type = JSON.stringify(name === "kind" ? gvk.slice(slash + 1) : gvk.slice(0, slash).replace(/^\//, ""));
    }
    if ((optional || flags.includes("r")) && this.#canBeNull(field, flags, goType)) type += " | null";
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${optional ? "?" : ""}: ${type}`;
  }

  /** Whether OpenAPI says which fields are required. Elsewhere those are that Go always sends. */
  #isPublished({ packageName }, name) {
    return this.#facts.definitions[packageName]?.[name] !== undefined;
  }

  #canBeNull(field, flags, goType) {
    if (NULL_ALTHOUGH_REQUIRED.has(field) || NULL_TIMES.has(field)) return true;
    if (flags.includes("r") || flags.includes("z")) return false;
    if (goType === "time" || goType === "microTime") return true;
    return !flags.includes("o") && (/^(\*|\[\]|\{\})/.test(goType) || goType === "bytes");
  }

  #type(scope, goType, keys) {
    const type = goType.replace(/^\*/, "");
    const outer = keys.get("o");
    if (outer !== undefined && type.startsWith("{}")) {
      const [packageName, name] = this.#qualify(outer, scope.packageName);
      // What the alias imports belongs into the file that declares it.
      const imports = packageName === scope.packageName ? scope.imports : new Map();
      const named = new Map([...keys].filter(([key]) => key === "n"));
      const values = this.#type({ ...scope, packageName, imports }, type.slice(2), named);
      return this.#alias(scope, packageName, name, `export type ${name} = Record<string, ${values}>;\n`);
    }
    if (type.startsWith("[]")) {
      const items = this.#type(scope, type.slice(2), keys);
      return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
    }
    if (type.startsWith("{}")) return `Record<string, ${this.#type(scope, type.slice(2), keys)}>`;
    const scalar = SCALARS[type];
    if (scalar !== undefined) return this.#scalar(scope, scalar, keys.get("n"));
    return this.#reference(scope, ...this.#qualify(type, scope.packageName));
  }

  #scalar(scope, scalar, named) {
    if (named === undefined) return this.#metaType(scope, scalar);
    const [packageName, name] = this.#qualify(named, scope.packageName);
    if (scalar === "unknown") {
      const type = JSON_TYPES[name];
      if (type === undefined) throw new Error(`no TypeScript type for ${packageName}.${name}`);
      return this.#metaType(scope, type);
    }
    const short = `${aliasOf(packageName)}.${name}`;
    const values = this.#enums[`${packageName}.${name}`] ?? CLOSED[short];
    if (values === undefined && OPEN[short] === undefined) return scalar;
    const type = values === undefined ? `${quoted(OPEN[short])} | (string & {})` : quoted(values);
    const line = `export type ${name} = ${type};\n`;
    const lines = `export type ${name} =\n  | ${type.replaceAll(" | ", "\n  | ")};\n`;
    return this.#alias(scope, packageName, name, line.length <= 121 ? line : lines);
  }

  /** A scalar that meta/v1 declares, or one of TypeScript's own. */
  #metaType(scope, type) {
    return /^[A-Z]\w*$/.test(type) && type !== "JSONSchemaProps" ? this.#reference(scope, META, type) : type;
  }

  /** Declares an alias in the package that Go declares it in. */
  #alias(scope, packageName, name, text) {
    if (packageName === scope.packageName) scope.aliases.set(name, text);
    else {
      if (!this.#declared.has(packageName)) this.#declared.set(packageName, new Map());
      this.#declared.get(packageName).set(name, text);
    }
    return this.#reference(scope, packageName, name);
  }

  #reference({ packageName: here, imports }, packageName, name) {
    if (packageName === here) return name;
    if (!imports.has(packageName)) imports.set(packageName, new Set());
    const elsewhere = [...imports].some(([other, names]) => other !== packageName && names.has(name));
    const taken = elsewhere || this.#lines.get(here)[name] !== undefined || this.#declared.get(here)?.has(name);
    const [group, version] = aliasOf(packageName).split(".");
    const local = taken ? `${group[0].toUpperCase()}${group.slice(1)}${version.toUpperCase()}${name}` : name;
    imports.get(packageName).add(local === name ? name : `${name} as ${local}`);
    return local;
  }

  #qualify(reference, packageName) {
    if (!reference.includes(".")) return [packageName, reference];
    const [alias, name] = split(reference);
    const found = this.packages.find((one) => aliasOf(one) === alias);
    return [found ?? alias, name];
  }

  /** The names that a package's file exports. */
  #exports(packageName) {
    const names = [...Object.keys(this.#lines.get(packageName)), ...this.#declared.get(packageName).keys()];
    if (packageName === META) {
      names.push(...[...SCALAR_DECLARATIONS.matchAll(/^export type (\w+)/gm)].map(([, name]) => name));
    }
    return names.sort(byText);
  }

  /** The packages in the order of their precedence: core, meta, then groups in discovery's order, a preferred version first. */
  #precedence() {
    const packageOf = new Map(this.#facts.resources.map((one) => [one.groupVersion, split(one.definition)[0]]));
    const served = this.#facts.groups.flatMap(({ name, versions }) =>
      versions.map((version) => packageOf.get(name === "" ? version : `${name}/${version}`)),
    );
    return [served[0], META, ...served.slice(1), ...SENT].filter((one) => one !== undefined);
  }

  indexFile() {
    const order = this.#precedence();
    const groupOf = (packageName) => split(packageName)[0];
    /** Name to the packages that declare it, of each group only the first. */
    const found = new Map();
    for (const packageName of order) {
      for (const name of this.#exports(packageName)) {
        const packages = found.get(name) ?? [];
        if (!packages.some((one) => groupOf(one) === groupOf(packageName))) found.set(name, [...packages, packageName]);
      }
    }
    const isKind = (packageName, name) =>
      this.#facts.resources.some((one) => one.definition === `${packageName}.${name}`);
    const chosen = new Map();
    for (const [name, packages] of found) {
      const [first] = packages;
      const kind = packages.find((one) => isKind(one, name));
      const winner = kind ?? (packages.length === 1 || first === order[0] || first === META ? first : undefined);
      if (winner !== undefined) chosen.set(winner, [...(chosen.get(winner) ?? []), name]);
    }
    const lines = order
      .filter((packageName) => chosen.has(packageName))
      .map((packageName) =>
        formatNames("export type", chosen.get(packageName).sort(byText), `./${pathOf(packageName)}.js`),
      );
    return `${MADE}/**
 * The API of Kubernetes ${NEWEST_VERSION} as types: \`import type { Deployment, Pod } from "kubets/api"\`. It has the preferred version of
 * every kind and what these are made of; \`kubets/api/apps/v1\` and the like, named as Go's packages, have one version each.
 *
 * Where groups have types of one name, it stands for the kind (ResourceClaim, not the entry of a pod's spec), else for the
 * type of core or meta. The others of that name are in the files of their versions only (ServiceReference).
 *
 * @packageDocumentation
 */
${lines.join("\n")}
`;
  }

  kindsFile() {
    const imports = new Set();
    const entries = this.#facts.resources.map(({ groupVersion, kind, definition }) => {
      const [packageName] = split(definition);
      const [group, version] = aliasOf(packageName).split(".");
      const local = `${group}${version[0].toUpperCase()}${version.slice(1)}`;
      imports.add(`import type * as ${local} from "../types/${pathOf(packageName)}.js";`);
      return `  "${groupVersion}/${kind}": ${local}.${kind};`;
    });
    return `${MADE}${[...imports].sort(byText).join("\n")}

/** The built-in kinds, by \`apiVersion/kind\`. */
export interface BuiltInKinds {
${entries.join("\n")}
}
`;
  }

  scopesFile() {
    const scopes = new Map();
    for (const { groupVersion, kind, namespaced } of this.#facts.resources) {
      const scope = scopes.get(groupVersion) ?? [[], []];
      scope[namespaced ? 0 : 1].push(kind);
      scopes.set(groupVersion, scope);
    }
    const lines = [...scopes].map(([groupVersion, [namespaced, cluster]]) => {
      const text = (kinds) => JSON.stringify(kinds.sort(byText).join(" "));
      const line = `  ${/^\w+$/.test(groupVersion) ? groupVersion : JSON.stringify(groupVersion)}: [${text(namespaced)}, ${text(cluster)}],`;
      return line.length <= 120
        ? line
        : line.replace("[", "[\n    ").replace('", "', '",\n    "').replace("],", ",\n  ],");
    });
    return `import { dictionary } from "../../base/collections/dictionary.js";

${MADE}
/** The built-in kinds of each group version: the namespaced ones, and those of the cluster. */
export const SCOPES: Readonly<Record<string, readonly [namespaced: string, cluster: string]>> = dictionary({
${lines.join("\n")}
});
`;
  }
}

function formatNames(keyword, names, from) {
  const line = `${keyword} { ${names.join(", ")} } from "${from}";`;
  return line.length <= 120 ? line : `${keyword} {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}

/** Every file below src/api/types, whether the generator makes it or not, and those that it makes elsewhere. */
export function committedTypes() {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return [...names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name)), kindsFile, scopesFile];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  rmSync(folder, { recursive: true, force: true });
  const files = apiTypes();
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const bytes = [...files.values()].reduce((sum, text) => sum + text.length, 0);
  process.stdout.write(`${files.size} files, ${bytes} bytes\n`);
}
