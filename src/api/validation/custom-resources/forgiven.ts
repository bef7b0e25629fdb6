import { list, object, text } from "../../../machinery/meta/access.js";
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
  tooManySelectableFields: new Set(),
};

export function forgivenBy(spec: DefinitionSpec, old: DefinitionSpec, established: boolean): Forgiven {
  const schemas = schemasOf(old);
  const webhook = object(object(old.fields.conversion).webhook);
  const reviews = list(webhook.conversionReviewVersions).map(text);
  return {
    missingSchemas: !hasSchema(old.shared) && old.versions.some((version) => !hasSchema(version)),
    unknownTypes: schemas.some(hasUnknownTypes),
    // Asked only where the new definition has such defaults.
    get unprunedDefaults() {
      return schemas.some((schema) => isStructural(schema) && hasUnprunedDefaults(schema));
    },
    nonAtomicSets: schemas.some(hasNonAtomicSets),
    looseMapKeys: schemas.some(hasLooseMapKeys),
    nonStructural: spec.preserveUnknownFields && !schemas.every(isStructural),
    unknownReviews: reviews.length > 0 && !speaksKnownReview(reviews),
    invalidCaBundle: !established || caBundleProblem(text(object(webhook.clientConfig).caBundle)) !== undefined,
    tooManySelectableFields: forgivenSelectableFields(spec, old),
  };
}

const isStructural = (schema: Parameters<typeof validateStructural>[0]): boolean =>
  notStructural(schema) === undefined && validateStructural(schema, "").length === 0;
