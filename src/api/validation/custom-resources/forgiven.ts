import { atOnce, type Steps } from "../../../base/steps.js";
import { list, object, text } from "../../../machinery/meta/access.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { caBundleProblem } from "./ca-bundle.js";
import { speaksKnownReview } from "./conversion-webhook.js";
import { type DefinitionSpec, hasSchema, schemasOf } from "./definition-spec.js";
import { hasLooseMapKeys, hasNonAtomicSets } from "./list-type.js";
import { hasUnknownTypes } from "./schema.js";
import { hasUnprunedDefaults } from "./schema-defaults.js";
import { forgivenSelectableFields } from "./selectable-fields.js";
import { notStructural, validateStructural } from "./structural.js";

/** What an update forgives because the definition had it already, or because nobody uses it yet. */
export interface Forgiven {
  readonly missingSchemas: boolean;
  readonly unknownTypes: boolean;
  readonly unprunedDefaults: boolean;
  readonly nonAtomicSets: boolean;
  readonly looseMapKeys: boolean;
  /** No schema need be structural; only where unknown fields are preserved. */
  readonly nonStructural: boolean;
  readonly unknownReviews: boolean;
  readonly invalidCaBundle: boolean;
  /** Versions whose schema is the one that it was: their rules may cost more than the limit. */
  readonly unchangedSchemas: ReadonlySet<string>;
  /** Versions with too many of them, "" for the whole. */
  readonly tooManySelectableFields: ReadonlySet<string>;
}

export const NOTHING_FORGIVEN: Forgiven = {
  missingSchemas: false,
  unknownTypes: false,
  unprunedDefaults: false,
  nonAtomicSets: false,
  looseMapKeys: false,
  nonStructural: false,
  unknownReviews: false,
  // Webhooks are not called before a definition is established.
  invalidCaBundle: true,
  unchangedSchemas: new Set(),
  tooManySelectableFields: new Set(),
};

export function forgivenBy(spec: DefinitionSpec, old: DefinitionSpec, established: boolean): Forgiven {
  return atOnce(forgivenSteps(spec, old, established));
}

/** {@link forgivenBy} in steps, because old schemas may be large. */
export function* forgivenSteps(spec: DefinitionSpec, old: DefinitionSpec, established: boolean): Steps<Forgiven> {
  const schemas = schemasOf(old);
  const webhook = object(object(old.fields.conversion).webhook);
  const reviews = list(webhook.conversionReviewVersions).map(text);
  const unknownTypes = schemas.some(hasUnknownTypes);
  yield;
  const nonAtomicSets = schemas.some(hasNonAtomicSets);
  yield;
  const looseMapKeys = schemas.some(hasLooseMapKeys);
  yield;
  const unchanged = unchangedSchemas(spec, old);
  yield;
  return {
    missingSchemas: !hasSchema(old.shared) && old.versions.some((version) => !hasSchema(version)),
    unknownTypes,
    // Asked only where the new definition has such defaults.
    get unprunedDefaults() {
      return schemas.some((schema) => isStructural(schema) && hasUnprunedDefaults(schema));
    },
    nonAtomicSets,
    looseMapKeys,
    nonStructural: spec.preserveUnknownFields && !schemas.every(isStructural),
    unknownReviews: reviews.length > 0 && !speaksKnownReview(reviews),
    invalidCaBundle: !established || caBundleProblem(text(object(webhook.clientConfig).caBundle)) !== undefined,
    unchangedSchemas: unchanged,
    tooManySelectableFields: forgivenSelectableFields(spec, old),
  };
}

function unchangedSchemas(spec: DefinitionSpec, old: DefinitionSpec): ReadonlySet<string> {
  const schemaIn = (definition: DefinitionSpec, name: string): JsonValue | undefined => {
    const version = definition.versions.find((one) => one.name === name);
    const validation = version?.validation ?? definition.shared.validation;
    return version && ((validation?.openAPIV3Schema ?? null) as JsonValue);
  };
  const names = spec.versions.map(({ name }) => name);
  return new Set(names.filter((name) => deepEqual(schemaIn(spec, name), schemaIn(old, name))));
}

const isStructural = (schema: Parameters<typeof validateStructural>[0]): boolean =>
  notStructural(schema) === undefined && validateStructural(schema, "").length === 0;
