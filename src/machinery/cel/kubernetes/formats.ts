import { formatCheckOf } from "../../structural/formats.js";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  type NameRule,
  prefixOf,
  qualifiedNameErrors,
} from "../../validation/names.js";
import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { listType, optionalType, STRING, type Type } from "../types/type.js";
import { ArrayList } from "../values/list.js";
import { spendSteps } from "../values/meter.js";
import { OPTIONAL_NONE, OptionalValue, type Value } from "../values/value.js";
import { KubernetesValue, kubernetesType } from "./kubernetes-value.js";
import { requestUriProblem } from "./urls.js";

export const FORMAT_TYPE = kubernetesType("NamedFormat");

/** A named format of texts. */
export class NamedFormat extends KubernetesValue {
  readonly type: Type = FORMAT_TYPE;
  readonly name: string;
  readonly errorsOf: NameRule;
  /** The length of the pattern that costs are computed with. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, errorsOf: NameRule) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.errorsOf = errorsOf;
  }

  equals(other: Value): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

/** A format that schemas have too, with Kubernetes' message for a text that is not of it. */
function schemaFormat(name: string, message: string): NameRule {
  const check = formatCheckOf(name);
  return (text) => (check?.(text) === true ? [] : [message]);
}

function requestUri(text: string): string[] {
  const problem = requestUriProblem(text);
  return problem === undefined ? [] : [problem];
}

/** By the names that expressions have for them. */
const FORMATS: ReadonlyMap<string, NamedFormat> = new Map([
  ["dns1123Label", new NamedFormat("DNS1123Label", 30, dns1123LabelErrors)],
  ["dns1123Subdomain", new NamedFormat("DNS1123Subdomain", 60, dns1123SubdomainErrors)],
  ["dns1035Label", new NamedFormat("DNS1035Label", 30, dns1035LabelErrors)],
  ["qualifiedName", new NamedFormat("QualifiedName", 60, qualifiedNameErrors)],
  ["dns1123LabelPrefix", new NamedFormat("DNS1123LabelPrefix", 30, prefixOf(dns1123LabelErrors))],
  ["dns1123SubdomainPrefix", new NamedFormat("DNS1123SubdomainPrefix", 60, prefixOf(dns1123SubdomainErrors))],
  ["dns1035LabelPrefix", new NamedFormat("DNS1035LabelPrefix", 30, prefixOf(dns1035LabelErrors))],
  ["labelValue", new NamedFormat("LabelValue", 40, labelValueErrors)],
  ["uri", new NamedFormat("URI", 1103, requestUri)],
  ["uuid", new NamedFormat("uuid", 70, schemaFormat("uuid", "does not match the UUID format"))],
  ["byte", new NamedFormat("byte", 84, schemaFormat("byte", "invalid base64"))],
  ["date", new NamedFormat("date", 71, schemaFormat("date", "invalid date"))],
  ["datetime", new NamedFormat("datetime", 71, schemaFormat("datetime", "invalid datetime"))],
] as const);

function named(name: string): Value {
  const format = FORMATS.get(name);
  return format === undefined ? OPTIONAL_NONE : new OptionalValue(format);
}

function validate({ errorsOf }: NamedFormat, text: string): Value {
  spendSteps(text.length);
  const errors = errorsOf(text);
  return errors.length === 0 ? OPTIONAL_NONE : new OptionalValue(new ArrayList(errors));
}

/** Kubernetes' named formats: `format.dns1123Label().validate(text)` is an optional list of the text's errors. Source: apiserver's cel/library. */
export const FORMAT: Library = {
  functions: [
    {
      name: "format.named",
      overloads: [globalOverload("format-named", [STRING], optionalType(FORMAT_TYPE), named)],
    },
    ...Array.from(FORMATS, ([name, format]) => ({
      name: `format.${name}`,
      overloads: [globalOverload(`format.${name}`, [], FORMAT_TYPE, () => format)],
    })),
    {
      name: "validate",
      overloads: [memberOverload("format-validate", [FORMAT_TYPE, STRING], optionalType(listType(STRING)), validate)],
    },
  ],
};
