import { compareVersions } from "../../machinery/meta/gvk.js";
import { guessedPlural } from "../../api/kinds/built-in-resource.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { openApiOfContent } from "../../machinery/structural/from-schema.js";
import { publishedSchema } from "../../machinery/structural/publish.js";
import { structuralSchemaOf } from "../../machinery/structural/structural-schema.js";
import { fieldNumberProblem } from "../../machinery/wire/protobuf/check-field-numbers.js";
import type { ResourceVersion, SubresourceDefinition } from "../api-registry/resource-definition.js";
import type {
  DeclaredVersion,
  Kind,
  KindDeclaration,
  KindOptions,
  ObjectIn,
  TypedKind,
  VersionDeclaration,
} from "./declaration.js";
import { checkColumns } from "./kind-columns.js";
import { kindStrategy } from "./kind-strategy.js";
import { standardSchemaOf } from "./standard-schema.js";
import { withRules } from "./place-rules.js";

/** The versions of a kind by name: the schema of the fields beside apiVersion, kind and metadata, or a declaration with more. */
type Versions = Readonly<Record<string, StructSchema | VersionDeclaration>>;

type Objects<Group extends string, Name extends string, V> = {
  readonly [Version in keyof V & string]: ObjectIn<
    Group,
    Version,
    Name,
    V[Version] extends VersionDeclaration ? V[Version]["schema"] : V[Version]
  >;
};

/**
 * Declares a kind: `kind("example.com", "Widget", { v1: struct("Widget", { spec: ... }) })`. The result is a definition for
 * `startServer({ resources })`: schema, defaults, validation, OpenAPI, columns, conversion, scale and status follow from it. Objects
 * are stored in `storageVersion`, by default the first version, which the functions of `options` see. An object is judged by the
 * schema and the rules of the version of its request, and then by those of the stored one. Throws a TypeError for a declaration that
 * cannot be right.
 */
export function kind<
  const Group extends string,
  const Name extends string,
  const V extends Versions,
  Stored extends keyof V & string = keyof V & string,
  Hub extends StructSchema | undefined = undefined,
>(
  group: Group,
  name: Name,
  versions: V,
  options: KindOptions<
    Hub extends StructSchema ? ObjectIn<Group, "__internal", Name, Hub> : Objects<Group, Name, V>[Stored]
  > & {
    readonly storageVersion?: Stored;
    /** The schema of an internal version, to which every version has a conversion: what the functions see. No client sees it. */
    readonly hub?: Hub;
  } = {},
): TypedKind<Objects<Group, Name, V>> {
  // Below, objects of all kinds are treated alike: the type of this kind's objects ends here.
  const { storageVersion, hub, ...rest } = options as unknown as KindOptions & Partial<KindHub>;
  const declared = Object.entries<StructSchema | VersionDeclaration>(versions).map(([version, given]) => {
    const declaration: VersionDeclaration = "type" in given ? { schema: given } : given;
    const at = `kind ${name} ${version}`;
    const wrongNumber = fieldNumberProblem(declaration.schema);
    if (wrongNumber !== undefined) throw new TypeError(`${at}: ${wrongNumber}`);
    const openApi = withRules(openApiOfContent(declaration.schema, declaration.meta), declaration.rules ?? [], at);
    return declaredVersion(version, { ...declaration, openApi }, rest, at);
  });
  const declaration = declarationOf(group, name, declared, { ...rest, storageVersion, hub });
  return { ...definitionOf<Objects<Group, Name, V>>(declaration, rest), "~standard": standardSchemaOf(declaration) };
}

/** Completes a version that has an openAPIV3Schema; `at` names it in errors. */
export function declaredVersion(
  name: string,
  given: VersionDeclaration & { readonly openApi: JsonObject },
  { status, columns, scale }: KindOptions,
  at: string,
): DeclaredVersion {
  const { schema, openApi, conversion, applyDefaults, selectableFields = [] } = given;
  const structural = structuralSchemaOf(openApi);
  const shown = given.columns ?? columns ?? [];
  checkColumns(shown, at);
  return {
    name,
    served: given.served !== false,
    ...(given.deprecated !== undefined &&
      given.deprecated !== false && { deprecationWarning: textOf(given.deprecated) }),
    content: {
      ...schema,
      published: schema.published ?? ((form) => publishedSchema(structural, form)),
      selectableFields,
    },
    openApi,
    columns: shown,
    hasStatus: given.status ?? status ?? structural.properties.has("status"),
    scale: given.scale ?? scale,
    selectableFields,
    conversion,
    applyDefaults,
  };
}

/** The text of a deprecation; "" where the usual one is meant. */
const textOf = (deprecated: true | string): string => (deprecated === true ? "" : deprecated);

/** Where a kind's versions meet. */
interface KindHub {
  readonly storageVersion: string | undefined;
  readonly hub: StructSchema | undefined;
}

/** Completes the parts of a declaration that all versions share. */
export function declarationOf(
  group: string,
  kind: string,
  versions: readonly DeclaredVersion[],
  options: KindOptions & Partial<KindHub>,
): KindDeclaration {
  const { plural = guessedPlural(kind), singular = kind.toLowerCase(), listKind = `${kind}List` } = options;
  const storageVersion = options.storageVersion ?? versions[0]?.name ?? "";
  return {
    group,
    kind,
    plural,
    singular,
    listKind,
    namespaced: options.namespaced !== false,
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    versions: versions.map((version) => withWarning(version, versions, `${group}/`, kind)),
    storageVersion,
    hub: options.hub,
  };
}

/** A deprecated version without a text of its own names the newest version that is not deprecated. */
function withWarning(
  version: DeclaredVersion,
  versions: readonly DeclaredVersion[],
  prefix: string,
  kind: string,
): DeclaredVersion {
  if (version.deprecationWarning !== "") return version;
  const newer = versions
    .filter((other) => other.served && other.deprecationWarning === undefined)
    .filter((other) => compareVersions(other.name, version.name) < 0)
    .toSorted((a, b) => compareVersions(a.name, b.name))[0];
  const instead = newer === undefined ? "" : `; use ${prefix}${newer.name} ${kind}`;
  const usual = `${prefix}${version.name} ${kind} is deprecated${instead}`;
  return { ...version, deprecationWarning: usual, hasUsualWarning: true };
}

/**
 * Makes the resource definition for a server. With `isCustom` discovery shows the resource as it shows custom resources, and the answer to
 * a create names the problems of metadata together with those of the strategy.
 */
export function definitionOf<Objects>(
  declaration: KindDeclaration,
  options: KindOptions,
  isCustom = false,
): Kind<Objects> {
  const { group, plural, kind: name, storageVersion, versions, hub } = declaration;
  const stored = versions.find((version) => version.name === storageVersion) ?? versions[0];
  const { storage } = options;
  return {
    group,
    resource: plural,
    kind: name,
    listKind: declaration.listKind,
    singular: declaration.singular,
    namespaced: declaration.namespaced,
    shortNames: declaration.shortNames,
    categories: declaration.categories,
    storageVersion,
    ...(hub !== undefined && { hub }),
    versions: versions.map((version) => servedVersion(version, hub === undefined ? stored : undefined)),
    strategy: kindStrategy(declaration, options),
    ...(storage !== undefined && { storage }),
    ...(isCustom && { isCustom }),
    declaration,
    "~standard": standardSchemaOf(declaration),
  };
}

function servedVersion(version: DeclaredVersion, stored: DeclaredVersion | undefined): ResourceVersion {
  const { name, served, content, deprecationWarning, applyDefaults, hasStatus, scale } = version;
  const subresources: SubresourceDefinition[] = [
    ...(hasStatus ? [{ name: "status" }] : []),
    ...(scale === undefined ? [] : [{ name: "scale" }]),
  ];
  // Versions that differ in nothing but their rules or columns convert as they are.
  const isSame = stored !== undefined && version !== stored && version.content.fields === stored.content.fields;
  const conversion = version.conversion ?? (isSame ? AS_IT_IS : undefined);
  return {
    version: name,
    schema: content,
    served,
    subresources,
    ...(conversion !== undefined && { conversion }),
    ...(deprecationWarning !== undefined && { deprecationWarning }),
    ...(applyDefaults !== undefined && { applyDefaults }),
  };
}

const AS_IT_IS = { toHub: (object: KubeObject) => object, fromHub: (object: KubeObject) => object };
