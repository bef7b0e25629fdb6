import type { FieldsOf } from "../../machinery/meta/received.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "../../api/types/apiextensions/v1.js";
import { absent, list, object, objects, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Conversion } from "../../machinery/scheme/scheme.js";
import { applyDefaults } from "../../machinery/structural/apply-defaults.js";
import { prune } from "../../machinery/structural/pruning.js";
import { structuralSchemaOf } from "../../machinery/structural/structural-schema.js";
import { contentSchemaOf } from "../../machinery/structural/to-schema.js";
import { CUSTOM_UPDATES } from "../extensions/custom-strategy.js";
import { objectMeta } from "../extensions/custom-version.js";
import type { DeclaredVersion, Kind, KindColumn, KindOptions, KindScale, VersionDeclaration } from "./declaration.js";
import { declarationOf, declaredVersion, definitionOf } from "./kind.js";

type Version = FieldsOf<CustomResourceDefinitionVersion>;
type Names = FieldsOf<CustomResourceDefinitionNames>;
type Subresources = FieldsOf<CustomResourceSubresources>;

/** The options of a kind that its CustomResourceDefinition cannot state. */
export interface KindFromSchemaOptions extends Pick<KindOptions, "validate" | "strategy" | "storage"> {
  /** By version. Default: fields that the other version does not have are lost. */
  readonly conversions?: Readonly<Record<string, Conversion>>;
}

/**
 * The kind that a CustomResourceDefinition (apiextensions.k8s.io/v1) describes. Its objects are read, judged and shown as those of
 * custom resources. Throws a TypeError for what is no such definition.
 */
export function kindFromCrd(crd: KubeObject, options: KindFromSchemaOptions = {}): Kind {
  if (crd.apiVersion !== "apiextensions.k8s.io/v1" || crd.kind !== "CustomResourceDefinition") {
    throw new TypeError(
      `${crd.apiVersion ?? "no apiVersion"} ${crd.kind ?? "no kind"} is not a CustomResourceDefinition of apiextensions.k8s.io/v1`,
    );
  }
  const spec: FieldsOf<CustomResourceDefinitionSpec> = object(crd["spec"]);
  const names: Names = object(spec.names);
  const kind = text(names.kind);
  const given: readonly Version[] = objects(spec.versions);
  const versions = given.map((version) => {
    const validation: FieldsOf<CustomResourceValidation> = object(version.schema);
    const openApi = object(validation.openAPIV3Schema) as JsonObject;
    const selectable: readonly FieldsOf<SelectableField>[] = objects(version.selectableFields);
    const columns: readonly FieldsOf<KindColumn>[] = objects(version.additionalPrinterColumns);
    return versionFromOpenApi({ kind, name: text(version.name), openApi }, optionsOf(version), {
      served: version.served === true,
      ...(version.deprecated === true &&
        ({ deprecated: text(version.deprecationWarning) || true } satisfies Partial<VersionDeclaration>)),
      columns: columns as readonly KindColumn[],
      selectableFields: selectable.map(({ jsonPath }) => text(jsonPath).replace(/^\./, "")),
      ...conversionIn(options, text(version.name)),
    });
  });
  const stored = given.find(({ storage }) => storage === true);
  const declaration = declarationOf(text(spec.group), kind, versions, {
    plural: text(names.plural),
    ...(!absent(names.singular) && ({ singular: text(names.singular) } satisfies Names)),
    ...(!absent(names.listKind) && ({ listKind: text(names.listKind) } satisfies Names)),
    namespaced: spec.scope === "Namespaced",
    shortNames: list(names.shortNames).map(text),
    categories: list(names.categories).map(text),
    storageVersion: stored && text(stored.name),
  });
  return definitionOf(declaration, { ...options, strategy: { ...CUSTOM_UPDATES, ...options.strategy } }, true);
}

const conversionIn = (
  { conversions = {} }: KindFromSchemaOptions,
  version: string,
): Pick<VersionDeclaration, "conversion"> => {
  const conversion = conversions[version];
  return conversion === undefined ? {} : { conversion };
};

function optionsOf(version: Version): KindOptions {
  const { status, scale }: Subresources = object(version.subresources);
  const paths: FieldsOf<KindScale> = object(scale);
  return { status: !absent(status), ...(!absent(scale) && ({ scale: paths as KindScale } satisfies KindOptions)) };
}

/** Declares a version from an OpenAPI schema: its objects are decoded as custom resources are. */
export function versionFromOpenApi(
  { kind, name, openApi }: { readonly kind: string; readonly name: string; readonly openApi: JsonObject },
  options: KindOptions,
  given: Omit<VersionDeclaration, "schema">,
): DeclaredVersion {
  const structural = structuralSchemaOf(openApi);
  const { selectableFields = [] } = given;
  const schema = contentSchemaOf(() => structural, kind, { objectMeta: objectMeta(), selectableFields });
  const conversion: Conversion = {
    toHub: (one) => one,
    fromHub(one) {
      const copy = deepCopy(one) as JsonObject;
      prune(copy, structural, { isResourceRoot: true });
      return copy;
    },
  };
  return declaredVersion(
    name,
    {
      conversion,
      ...given,
      schema,
      openApi,
      applyDefaults: (draft) => applyDefaults(draft as JsonObject, structural),
    },
    options,
    `kind ${kind} ${name}`,
  );
}
