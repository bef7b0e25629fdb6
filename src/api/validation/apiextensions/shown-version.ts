import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import type { DefinitionVersion } from "./definition-spec.js";
import { isFields } from "../../../machinery/meta/access.js";
import { goSchema } from "./schema-fields.js";

/** A version as kube-apiserver prints it in an error, without what all versions share. */
export function goVersion({ name, fields, ...parts }: DefinitionVersion): ReadonlyFields {
  const { validation, subresources, columns, selectableFields } = parts;
  const schema = validation?.openAPIV3Schema;
  return {
    Name: name,
    Served: fields.served === true,
    Storage: fields.storage === true,
    Deprecated: fields.deprecated === true,
    DeprecationWarning: fields.deprecationWarning ?? null,
    Schema: validation === undefined ? null : { OpenAPIV3Schema: isFields(schema) ? goSchema(schema) : null },
    Subresources: subresources === undefined ? null : goSubresources(subresources),
    AdditionalPrinterColumns: columns.length === 0 ? null : columns.map(goColumn),
    SelectableFields:
      selectableFields.length === 0 ? null : selectableFields.map(({ jsonPath }) => ({ JSONPath: jsonPath ?? "" })),
  };
}

function goSubresources({ status, scale }: ReadonlyFields): ReadonlyFields {
  return {
    Status: isFields(status) ? {} : null,
    Scale: isFields(scale)
      ? {
          SpecReplicasPath: scale.specReplicasPath ?? "",
          StatusReplicasPath: scale.statusReplicasPath ?? "",
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        }
      : null,
  };
}

const goColumn = (column: ReadonlyFields): ReadonlyFields => ({
  Name: column.name ?? "",
  Type: column.type ?? "",
  Format: column.format ?? "",
  Description: column.description ?? "",
  Priority: column.priority ?? 0,
  JSONPath: column.jsonPath ?? "",
});
