import type {
  ConfigMap,
  Container,
  EnvVar,
  EphemeralContainer,
  Pod,
  ResourceFieldSelector,
  Secret,
  Service,
} from "../../api/types/core/v1.js";
import type { Lister } from "../../client/informers/indexer.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import {
  absent,
  object,
  objects,
  type OrAbsent,
  quantityText,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import { RuntimeError } from "../container-runtime.js";
import { textOf } from "../scripted/shell/expansion/byte-text.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";

type ServiceVariables = readonly (readonly [name: string, value: string])[];

/** The variables of one Service are the same for all containers. */
const known = new WeakMap<Service, ServiceVariables>();

/**
 * What a kubelet tells a pod's containers of Services: of "kubernetes", and of those of the pod's namespace unless enableServiceLinks is false.
 * As FOO_SERVICE_HOST and FOO_SERVICE_PORT, and in the older form of Docker's links, FOO_PORT_80_TCP_ADDR.
 */
function serviceVariables(services: Pick<Lister<Service>, "namespace">, { metadata, spec }: Pod): ServiceVariables {
  const kubernetes = services.namespace("default").get("kubernetes");
  const own = spec?.enableServiceLinks === false ? [] : services.namespace(metadata?.namespace ?? "").list();
  const linked = own.filter((service) => service !== kubernetes);
  return [...(kubernetes === undefined ? [] : [kubernetes]), ...linked].flatMap(variablesOf);
}

function variablesOf(service: Service): ServiceVariables {
  const variables = known.get(service) ?? [...make(service)];
  known.set(service, variables);
  return variables;
}

function* make({ metadata, spec }: Service): Generator<readonly [string, string], void> {
  const { clusterIP = "", ports = [] } = spec ?? {};
  const [first] = ports;
  if (clusterIP === "" || clusterIP === "None" || first === undefined) return;
  const prefix = variableName(metadata?.name ?? "");
  yield [`${prefix}_SERVICE_HOST`, clusterIP];
  yield [`${prefix}_SERVICE_PORT`, String(first.port)];
  for (const { name, port } of ports)
    if (name !== undefined) yield [`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)];
  const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
  for (const [index, { port, protocol = "TCP" }] of ports.entries()) {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    if (index === 0) yield [`${prefix}_PORT`, url];
    const link = `${prefix}_PORT_${port}_${protocol}`;
    yield [link, url];
    yield [`${link}_PROTO`, protocol.toLowerCase()];
    yield [`${link}_PORT`, String(port)];
    yield [`${link}_ADDR`, clusterIP];
  }
}

const variableName = (name: string): string => name.toUpperCase().replaceAll("-", "_");

/** As Linux has it: what the arguments and the environment of a program may have together, in bytes. */
const MOST_BYTES = 2 * 1024 * 1024;

/** The configuration of a container refers to an object that does not exist: the pod waits until it does. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The objects and addresses from which a container's environment is read. */
export interface EnvironmentSource {
  readonly client: Pick<KubernetesClient, "of">;
  readonly pod: ReceivedObject<Pod>;
  readonly podIp: string;
  readonly hostIp: string;
  /** What the node has, which a container may use where it has no limit. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The Services of the cluster. Left out: containers are told of none. */
  readonly services?: Pick<Lister<Service>, "namespace"> | undefined;
}

type Variables = Record<string, string>;

/**
 * A container's environment: Services, envFrom, then env, with $(NAME) of those before it. Throws a {@link ConfigError}. `keepsBytes`: bytes of
 * ConfigMaps and Secrets that are no UTF-8 stay what they are, as {@link textOf} has them.
 */
export async function containerEnvironment(
  container: Received<Container | EphemeralContainer>,
  source: EnvironmentSource,
  keepsBytes = false,
): Promise<Environment> {
  const env = new Environment();
  const decode = keepsBytes ? textOf : (bytes: Buffer): string => bytes.toString("utf8");
  if (source.services !== undefined)
    for (const [name, value] of serviceVariables(source.services, source.pod as Pod)) env.set(name, value);
  for (const from of objects(container.envFrom)) {
    const prefix = text(from.prefix);
    for (const kind of ["ConfigMap", "Secret"] as const) {
      const reference = object(kind === "ConfigMap" ? from.configMapRef : from.secretRef);
      if (text(reference.name) === "") continue;
      const data = await dataOf(kind, text(reference.name), reference.optional === true, source);
      for (const [key, value] of data ?? []) env.set(`${prefix}${key}`, decode(value));
    }
  }
  for (const variable of objects(container.env)) {
    const value = await variableValue(variable, container, source, decode);
    if (value !== undefined) env.set(text(variable.name), absent(variable.valueFrom) ? env.expand(value) : value);
  }
  return env;
}

/**
 * The variables of a container while they are made, and what is expanded with them. All of it together is no longer than what a
 * program can be started with: a value may name those before it any number of times.
 */
export class Environment {
  readonly #values = new Map<string, string>();
  #bytes = 0;

  /** Each of them as an own property, whatever its name. */
  get variables(): Readonly<Variables> {
    return Object.fromEntries(this.#values);
  }

  set(name: string, value: string): void {
    const before = this.#values.get(name);
    this.#count(value.length + (before === undefined ? name.length : -before.length));
    this.#values.set(name, value);
  }

  /** A word of a command line. */
  word(value: string): string {
    const expanded = this.expand(value);
    this.#count(expanded.length);
    return expanded;
  }

  /** $(NAME) becomes the variable's value, $$ a dollar sign; an unknown name stays as it is. */
  expand(value: string): string {
    return this.#expanded(value, (name) => this.#values.get(name) ?? `$(${name})`);
  }

  /** As {@link expand}, for a path in a volume: throws a {@link ConfigError} where a name has no value. */
  path(value: string): string {
    const missing = new Set<string>();
    const expanded = this.#expanded(value, (name) => {
      const found = this.#values.get(name) ?? "";
      if (found === "") missing.add(name);
      return found;
    });
    if (missing.size > 0) throw new ConfigError(`missing value for ${[...missing].sort().join(", ")}`);
    return expanded;
  }

  #expanded(value: string, valueOf: (name: string) => string): string {
    const pieces: string[] = [];
    let bytes = 0;
    const add = (piece: string): void => {
      bytes += piece.length;
      if (this.#bytes + bytes > MOST_BYTES) throw tooLong();
      pieces.push(piece);
    };
    let at = 0;
    for (let dollar = value.indexOf("$"); dollar >= 0; dollar = value.indexOf("$", at)) {
      add(value.slice(at, dollar));
      const next = value[dollar + 1];
      const end = next === "(" ? value.indexOf(")", dollar) : -1;
      // No name behind it has an end either.
      if (next === "(" && end < 0) {
        at = dollar;
        break;
      }
      const name = value.slice(dollar + 2, end);
      if (next === "(") add(valueOf(name));
      else add("$");
      at = next === "(" ? end + 1 : dollar + (next === "$" ? 2 : 1);
    }
    add(value.slice(at));
    return pieces.join("");
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) throw tooLong();
  }
}

/** What a program answers that is started with more than Linux allows. */
const tooLong = (): RuntimeError =>
  new RuntimeError(
    "StartError",
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: argument list too long: unknown",
  );

async function variableValue(
  variable: Received<EnvVar>,
  container: Received<Container | EphemeralContainer>,
  source: EnvironmentSource,
  decode: (bytes: Buffer) => string,
): Promise<string | undefined> {
  const { fieldRef, configMapKeyRef, secretKeyRef, resourceFieldRef } = object(variable.valueFrom);
  if (!absent(fieldRef)) return podField(text(object(fieldRef).fieldPath), source);
  if (!absent(resourceFieldRef)) return resourceField(object(resourceFieldRef), source, container);
  for (const [kind, reference] of [
    ["ConfigMap", configMapKeyRef],
    ["Secret", secretKeyRef],
  ] as const) {
    if (absent(reference)) continue;
    const { name, key, optional } = object(reference);
    const data = await dataOf(kind, text(name), optional === true, source);
    const value = data?.get(text(key));
    if (value !== undefined) return decode(value);
    if (optional === true) return undefined;
    throw new ConfigError(
      `couldn't find key ${text(key)} in ${kind} ${source.pod.metadata?.namespace ?? ""}/${text(name)}`,
    );
  }
  return text(variable.value);
}

/** Reads a field of a pod: "metadata.name", "metadata.labels['app']", "status.podIP". */
export function podField(
  path: string,
  { pod, podIp, hostIp }: Pick<EnvironmentSource, "pod" | "podIp" | "hostIp">,
): string {
  const { name = "", namespace = "", uid = "", labels = {}, annotations = {} } = pod.metadata ?? {};
  const [, field = "", key = ""] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
  if (field !== "") return own(field === "labels" ? labels : annotations, key) ?? "";
  const lines = (map: Readonly<Variables>): string =>
    Object.entries(map)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([one, value]) => `${one}=${JSON.stringify(value)}`)
      .join("\n");
  const fields: Readonly<Variables> = {
    "metadata.name": name,
    "metadata.namespace": namespace,
    "metadata.uid": uid,
    "metadata.labels": lines(labels),
    "metadata.annotations": lines(annotations),
    "spec.nodeName": text(object(pod.spec).nodeName),
    "spec.serviceAccountName": text(object(pod.spec).serviceAccountName),
    "status.podIP": podIp,
    "status.podIPs": podIp,
    "status.hostIP": hostIp,
    "status.hostIPs": hostIp,
  };
  return own(fields, path) ?? "";
}

const own = (map: Readonly<Variables>, key: string): string | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/**
 * A resource of a container in units of the divisor, rounded up: "requests.cpu" of 250m is "1", and "250" in units of 1m. `container` is
 * the one that reads it; a volume names another. A limit that is not set is what the node has.
 */
export function resourceField(
  { resource, divisor, containerName }: Received<ResourceFieldSelector>,
  { pod, capacity }: Pick<EnvironmentSource, "pod" | "capacity">,
  container: Received<Container | EphemeralContainer> = {},
): string {
  const { containers, initContainers } = object(pod.spec);
  const named = [...objects(containers), ...objects(initContainers)].find(({ name }) => name === containerName);
  const { requests, limits } = object((text(containerName) === "" ? container : (named ?? container)).resources);
  const [list = "", ...rest] = text(resource).split(".");
  const name = rest.join(".");
  const asked = list === "limits" ? (object(limits)[name] ?? capacity[name]) : object(requests)[name];
  const amount = quantityValue(parseQuantity(quantityText(asked) || "0"), NANO);
  const unit = quantityValue(parseQuantity(quantityText(divisor) || "1"), NANO) || ONE_IN_NANO;
  return String((amount + unit - 1n) / unit);
}

const NANO = -9;
const ONE_IN_NANO = 1_000_000_000n;

type Data = ReadonlyMap<string, Buffer>;

/** The entries of ConfigMaps and Secrets that containers have, by uid and version: however many mount one, its bytes are there once. */
const shared = new Map<string, WeakRef<Data>>();
const unshare = new FinalizationRegistry<string>((key) => {
  if (shared.get(key)?.deref() === undefined) shared.delete(key);
});

function sharedData(key: string, decode: () => Data): Data {
  const known = shared.get(key)?.deref();
  if (known !== undefined) return known;
  const data = decode();
  shared.set(key, new WeakRef(data));
  unshare.register(data, key);
  return data;
}

/** The entries of a ConfigMap or Secret; undefined where an optional one is missing. */
export async function dataOf(
  kind: "ConfigMap" | "Secret",
  name: string,
  optional: boolean,
  { client, pod, signal }: Pick<EnvironmentSource, "client" | "pod" | "signal">,
): Promise<Data | undefined> {
  const namespace = pod.metadata?.namespace ?? "";
  let found: ReceivedObject<ConfigMap | Secret> & Pick<ReceivedObject<ConfigMap>, "binaryData">;
  try {
    found = await client.of("v1", kind).namespace(namespace).get(name, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (optional) return undefined;
    throw new ConfigError(`${kind.toLowerCase()} ${JSON.stringify(name)} not found`);
  }
  const decoded = (field: OrAbsent<Received<Record<string, string>>>, encoding: "utf8" | "base64") =>
    Object.entries(object(field)).map(([key, value]) => [key, Buffer.from(text(value), encoding)] as const);
  const { uid = "", resourceVersion = "" } = found.metadata ?? {};
  return sharedData(`${uid}/${resourceVersion}`, () =>
    kind === "Secret"
      ? new Map(decoded(found.data, "base64"))
      : new Map([...decoded(found.data, "utf8"), ...decoded(found.binaryData, "base64")]),
  );
}
