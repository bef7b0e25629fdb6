import type { Quantity } from "../../api/types/meta/v1.js";
import type {
  ConfigMapKeySelector,
  Container,
  EnvVarSource,
  EphemeralContainer,
  ObjectFieldSelector,
  SecretKeySelector,
  ResourceRequirements,
} from "../../api/types/core/v1.js";
import { isStruct, object, objects, type OrAbsent, type Received, text } from "../../machinery/meta/received.js";
import type { DescriptionWriter } from "./description.js";
import { flag } from "./go-fields.js";
import { parseQuantity, quantityValue, zeroQuantity } from "../../machinery/text/quantity/quantity.js";

type AnyContainer = Container | EphemeralContainer;

/** The value of the pod's field to which a variable refers, as far as kubectl looks it up. */
export type FieldValue = (fieldRef: Received<ObjectFieldSelector>) => string;

/** Writes "Environment:" and one variable per line; a value with several lines continues below. */
export function describeEnvironment(
  description: DescriptionWriter,
  container: Received<AnyContainer>,
  fieldValue: FieldValue = () => "",
): void {
  const variables = objects(container.env);
  description.write(2, `Environment:${variables.length === 0 ? "\t<none>" : ""}\n`);
  for (const { name, value, valueFrom } of variables) {
    if (isStruct(valueFrom)) {
      const from = sourceText(valueFrom, container, fieldValue);
      if (from !== undefined) description.write(3, `${text(name)}:\t${from}\n`);
      continue;
    }
    for (const [index, line] of text(value).split("\n").entries()) {
      description.write(3, `${index === 0 ? `${text(name)}:` : ""}\t${line}\n`);
    }
  }
}

function sourceText(
  from: Received<EnvVarSource>,
  container: Received<AnyContainer>,
  fieldValue: FieldValue,
): string | undefined {
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = from;
  if (isStruct(fieldRef)) return `${fieldValue(fieldRef)} (${text(fieldRef.apiVersion)}:${text(fieldRef.fieldPath)})`;
  if (isStruct(resourceFieldRef)) {
    const resource = text(resourceFieldRef.resource);
    return `${resourceText(resource, resourceFieldRef.divisor, container)} (${resource})`;
  }
  if (isStruct(secretKeyRef)) return keyText(secretKeyRef, "in secret");
  return isStruct(configMapKeyRef) ? keyText(configMapKeyRef, "of config map") : undefined;
}

const keyText = (ref: Received<SecretKeySelector | ConfigMapKeySelector>, where: string): string =>
  `<set to the key '${text(ref.key)}' ${where} '${text(ref.name)}'>\tOptional: ${flag(ref.optional)}`;

/** Without a limit a container may use what its node has. */
function resourceText(resource: string, divisor: OrAbsent<Quantity>, container: Received<AnyContainer>): string {
  const value = containerResource(resource, divisor, object(container.resources)) ?? "";
  return value === "0" && /^limits\.(cpu|memory)$/.test(resource) ? "node allocatable" : value;
}

/** Describes the ConfigMaps and Secrets that a container takes all its variables from; nothing without any. */
export function describeEnvironmentSources(description: DescriptionWriter, container: Received<AnyContainer>): void {
  const sources = objects(container.envFrom);
  if (sources.length === 0) return;
  description.write(2, "Environment Variables from:\n");
  for (const { configMapRef, secretRef, prefix } of sources) {
    const kind = isStruct(configMapRef) ? "ConfigMap" : isStruct(secretRef) ? "Secret" : "";
    const ref = isStruct(configMapRef) ? configMapRef : object(secretRef);
    const prefixed = text(prefix) === "" ? "" : ` with prefix '${text(prefix)}'`;
    description.write(3, `${text(ref.name)}\t${kind}${prefixed}\tOptional: ${flag(ref.optional)}\n`);
  }
}

const NAMED = ["cpu", "memory", "ephemeral-storage"];

/**
 * What a resourceFieldRef ("limits.cpu") of a container's `resources` comes to, in units of the divisor (one, where it is
 * absent or zero), rounded up; 0 where the container does not say. Undefined for what is no such resource.
 */
function containerResource(
  path: string,
  divisor: unknown,
  resources: Received<ResourceRequirements>,
): string | undefined {
  const [, bound = "", name = ""] = /^(limits|requests)\.(.+)$/.exec(path) ?? [];
  if (!NAMED.includes(name) && !name.startsWith("hugepages-")) return undefined;
  const amount = quantityOf(object(bound === "limits" ? resources.limits : resources.requests)[name]);
  const asked = quantityOf(divisor);
  const unit = asked.unscaled === 0n ? parseQuantity("1") : asked;
  const scale = name === "cpu" ? -3 : 0;
  return String(Math.ceil(Number(quantityValue(amount, scale)) / Number(quantityValue(unit, scale))));
}

const quantityOf = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? parseQuantity(String(value)) : zeroQuantity;
