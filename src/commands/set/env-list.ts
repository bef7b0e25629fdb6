import { errorMessage } from "../../base/text/error-message.js";
import type { Streams } from "../../cli/connect/factory.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import {
  type Fields,
  isFields,
  objects,
  text,
  object as fieldsOf,
  type ReadonlyFields,
} from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { own } from "../../base/collections/own.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { goQuote } from "../../base/text/go-quote.js";
import {
  compareQuantities,
  parseQuantity,
  quantityValue,
  zeroQuantity,
} from "../../machinery/text/quantity/quantity.js";
import { qualifiedNameErrors } from "../../machinery/validation/names.js";
import { Helper } from "../../resource/helper.js";

/** "configmap settings, key colour": what a variable's valueFrom says. */
function describeReference(from: ReadonlyFields): string {
  const [map, secret, field, resource] = [
    from["configMapKeyRef"],
    from["secretKeyRef"],
    from["fieldRef"],
    from["resourceFieldRef"],
  ].map((value) => (value === undefined || value === null ? undefined : fieldsOf(value)));
  if (map !== undefined) return `configmap ${text(map["name"])}, key ${text(map["key"])}`;
  if (secret !== undefined) return `secret ${text(secret["name"])}, key ${text(secret["key"])}`;
  if (field !== undefined) return `field path ${text(field["fieldPath"])}`;
  if (resource === undefined) return "invalid valueFrom";
  const container = text(resource["containerName"]);
  return `resource field ${container === "" ? "" : `${container}/`}${text(resource["resource"])}`;
}

/** Looks up what variables refer to. ConfigMaps and Secrets are read once per container. */
class EnvResolver {
  private readonly read = new Map<string, Promise<KubeObject>>();

  constructor(
    private readonly client: () => Promise<RestClient>,
    private readonly namespace: string,
  ) {}

  /** Throws when there is no such value. */
  async value(from: ReadonlyFields, object: KubeObject, container: Fields): Promise<string> {
    if (isSet(from["secretKeyRef"])) return this.keyOf("secrets", fieldsOf(from["secretKeyRef"]));
    if (isSet(from["configMapKeyRef"])) return this.keyOf("configmaps", fieldsOf(from["configMapKeyRef"]));
    if (isSet(from["fieldRef"])) return fieldValue(object, text(fieldsOf(from["fieldRef"])["fieldPath"]));
    if (isSet(from["resourceFieldRef"])) return resourceValue(fieldsOf(from["resourceFieldRef"]), container);
    throw new Error("invalid valueFrom");
  }

  private async keyOf(resource: "secrets" | "configmaps", reference: ReadonlyFields): Promise<string> {
    const [name, key] = [text(reference["name"]), text(reference["key"])];
    const place = `${resource}/${name}`;
    const answer = this.read.get(place) ?? this.get(resource, name);
    this.read.set(place, answer);
    // A failure is not kept: the next variable asks again.
    answer.catch(() => this.read.delete(place));
    const value = own(fieldsOf((await answer)["data"]), key);
    if (typeof value !== "string") {
      throw new Error(`key ${key} not found in ${resource === "secrets" ? "secret" : "config map"} ${name}`);
    }
    return resource === "secrets" ? Buffer.from(value, "base64").toString("utf8") : value;
  }

  private async get(resource: string, name: string): Promise<KubeObject> {
    const mapping = {
      resource: { group: "", version: "v1", resource },
      kind: { group: "", version: "v1", kind: "" },
      namespaced: true,
    };
    return new Helper(await this.client(), mapping).get(this.namespace, name);
  }
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** A field of metadata; of labels and annotations also a single one, `metadata.labels['tier']`. */
function fieldValue({ metadata = {} }: KubeObject, path: string): string {
  const open = path.indexOf("['", 1);
  if (open !== -1 && path.endsWith("']") && open + 4 <= path.length) {
    const [map, key] = [path.slice(0, open), path.slice(open + 2, -2)];
    if (map !== "metadata.annotations" && map !== "metadata.labels") {
      throw new Error(`fieldPath ${goQuote(map)} does not support subscript`);
    }
    const isLabel = map === "metadata.labels";
    const faults = qualifiedNameErrors(isLabel ? key : key.toLowerCase());
    if (faults.length > 0) throw new Error(`invalid key subscript in ${path}: ${faults.join(";")}`);
    return own(isLabel ? metadata.labels : metadata.annotations, key) ?? "";
  }
  switch (path) {
    case "metadata.annotations":
      return formatMap(metadata.annotations ?? {});
    case "metadata.labels":
      return formatMap(metadata.labels ?? {});
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    default:
      throw new Error(`unsupported fieldPath: ${path}`);
  }
}

const formatMap = (map: Readonly<Record<string, string>>): string =>
  Object.keys(map)
    .sort(compareKeys)
    .map((key) => `${key}=${goQuote(map[key] ?? "")}`)
    .join("\n");

const RESOURCES = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/;

/** How many of the divisor a limit or request is, rounded up. */
function resourceValue(reference: ReadonlyFields, container: Fields): string {
  const asked = text(reference["resource"]);
  const [, kind, resource] = RESOURCES.exec(asked) ?? [];
  if (kind === undefined || resource === undefined) throw new Error(`Unsupported container resource : ${asked}`);
  const given = parseQuantity(text(reference["divisor"]) || "0");
  const divisor = compareQuantities(given, zeroQuantity) === 0 ? parseQuantity("1") : given;
  const held = fieldsOf(fieldsOf(container["resources"])[kind])[resource];
  const amount = parseQuantity(text(held) === "" ? "0" : text(held));
  // CPU is counted in thousandths, all else in whole ones.
  const scale = resource === "cpu" ? -3 : 0;
  return String(Math.ceil(Number(quantityValue(amount, scale)) / Number(quantityValue(divisor, scale))));
}

export interface EnvListOptions {
  readonly resolve: boolean;
  readonly namespace: string;
  readonly client: () => Promise<RestClient>;
  readonly streams: Streams;
}

/** Lists the variables of containers for --list, in the syntax of a shell. */
export class EnvLister {
  constructor(private readonly options: EnvListOptions) {}

  /** References that cannot be resolved are shown as such, and told on stderr. */
  async list(object: KubeObject, container: Fields): Promise<void> {
    const { client, namespace, resolve, streams } = this.options;
    const resolver = new EnvResolver(client, namespace);
    const failed = new Map<string, string[]>();
    const title = `${object.kind ?? ""} ${object.metadata?.name ?? ""}, container ${text(container["name"])}`;
    streams.out.write(`# ${title}\n`);
    for (const { name: given, value, valueFrom } of objects(container["env"])) {
      const name = text(given);
      if (!isFields(valueFrom)) {
        streams.out.write(`${name}=${text(value)}\n`);
        continue;
      }
      const reference = `# ${name} from ${describeReference(valueFrom)}\n`;
      if (!resolve) {
        streams.out.write(reference);
        continue;
      }
      const line = await resolver.value(valueFrom, object, container).then(
        (found) => `${name}=${found}\n`,
        (error: unknown) => {
          const message = errorMessage(error);
          failed.set(message, [...(failed.get(message) ?? []), name]);
          return reference;
        },
      );
      streams.out.write(line);
    }
    const lines = [...failed].map(
      ([message, names]) => `error retrieving reference for ${names.sort().join(", ")}: ${message}\n`,
    );
    for (const line of lines.sort()) streams.err.write(line);
  }
}
