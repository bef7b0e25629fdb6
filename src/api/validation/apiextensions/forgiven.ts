import { type Steps, atOnce } from "../../../base/async/steps.js";
import { list, object, text, absent, objects } from "../../../machinery/meta/access.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import { type RuleDialect, ruleDialect } from "../../../machinery/structural/rules/dialect.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { caBundleProblem, speaksKnownReview } from "./conversion-webhook.js";
import { type DefinitionSpec, hasSchema, schemasOf, definitionSpec } from "./definition-spec.js";
import { hasLooseMapKeys, hasNonAtomicSets } from "./list-type.js";
import { hasUnknownTypes } from "./schema.js";
import { hasDefaults, hasUnprunedDefaults } from "./schema-defaults.js";
import { forgivenSelectableFields } from "./version-parts.js";
import { notStructural, validateStructural } from "./structural.js";
import { schemaHas } from "./schema-fields.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { type DefinitionRequest, isBeta } from "./beta-spec.js";
import type { Definition, Conversion, Webhook, ClientConfig, Schema, Rule } from "./definition-types.js";
import * as received from "../../../machinery/meta/received.js";

/** Whether a schema has keywords of Kubernetes (x-kubernetes-...) that only structural schemas may have. */
const hasExtensions = (schema: unknown): boolean =>
  schemaHas(
    schema,
    (inner) =>
      inner["x-kubernetes-embedded-resource"] === true ||
      inner["x-kubernetes-int-or-string"] === true ||
      !absent(inner["x-kubernetes-preserve-unknown-fields"]) ||
      !absent(inner["x-kubernetes-list-type"]) ||
      (["x-kubernetes-list-map-keys", "x-kubernetes-validations"] as const).some(
        (field) => list(inner[field]).length > 0,
      ),
  );

/** The faults that validation of a definition forgives: those that the stored definition already has, and those that v1beta1 allows. */
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
  /** Why no schema may have defaults; undefined where they may. */
  readonly noDefaults: string | undefined;
  /** The rules of the server's version of Kubernetes. */
  readonly dialect: RuleDialect;
  /** The expressions of rules that the stored definition has. They may use what new ones may not use yet. */
  readonly storedRules: ReadonlySet<string>;
}

const NOTHING_FORGIVEN: Forgiven = {
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
  noDefaults: undefined,
  dialect: ruleDialect(),
  storedRules: new Set(),
};

const NO_DEFAULTS_IN_BETA =
  "(cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)";

/** Returns the faults that validation forgives in a new definition. */
export function forgivenOfCreate(spec: DefinitionSpec, request: DefinitionRequest): Forgiven {
  const dialect = ruleDialect(request.release?.version, request.release?.minCompatibility);
  if (!isBeta(request)) return { ...NOTHING_FORGIVEN, dialect };
  return {
    ...NOTHING_FORGIVEN,
    dialect,
    missingSchemas: true,
    unknownTypes: true,
    nonStructural: mayBeNonStructural(spec),
    noDefaults: NO_DEFAULTS_IN_BETA,
  };
}

export interface UpdateFacts {
  /** The definition was established. */
  readonly established: boolean;
  /** The update came in v1beta1. */
  readonly beta: boolean;
  readonly dialect: RuleDialect;
}

/** What is forgiven of an update, in steps, because old schemas may be large. */
function* forgivenSteps(
  spec: DefinitionSpec,
  old: DefinitionSpec,
  { established, beta, dialect }: UpdateFacts,
): Steps<Forgiven> {
  const schemas = schemasOf(old);
  const conversion: Conversion = object(old.fields.conversion);
  const webhook: Webhook = object(conversion.webhook);
  const client: ClientConfig = object(webhook.clientConfig);
  const reviews = list(webhook.conversionReviewVersions).map(text);
  const unknownTypes = beta || schemas.some(hasUnknownTypes);
  yield;
  const nonAtomicSets = schemas.some(hasNonAtomicSets);
  yield;
  const looseMapKeys = schemas.some(hasLooseMapKeys);
  yield;
  const unchanged = unchangedSchemas(spec, old);
  yield;
  return {
    missingSchemas: beta || (!hasSchema(old.shared) && old.versions.some((version) => !hasSchema(version))),
    unknownTypes,
    // Asked only where the new definition has such defaults.
    get unprunedDefaults() {
      return schemas.some((schema) => isStructuralSchema(schema) && hasUnprunedDefaults(schema));
    },
    nonAtomicSets,
    looseMapKeys,
    nonStructural: mayBeNonStructural(spec) && (beta || !schemas.every(isStructuralSchema)),
    unknownReviews: reviews.length > 0 && !speaksKnownReview(reviews),
    invalidCaBundle: !established || caBundleProblem(text(client.caBundle)) !== undefined,
    unchangedSchemas: unchanged,
    tooManySelectableFields: forgivenSelectableFields(spec, old),
    noDefaults: beta && !schemas.some(hasDefaults) ? NO_DEFAULTS_IN_BETA : undefined,
    dialect,
    storedRules: dialect.libraries === dialect.librariesOfNew ? NOTHING_FORGIVEN.storedRules : rulesIn(schemas),
  };
}

function rulesIn(schemas: readonly Schema[]): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const schema of schemas) {
    schemaHas(schema, (inner) => {
      const rules: readonly Rule[] = objects(inner["x-kubernetes-validations"]);
      for (const { rule, messageExpression } of rules) {
        texts.add(text(rule));
        texts.add(text(messageExpression));
      }
      return false;
    });
  }
  return texts;
}

/** Pruning needs structural schemas, and so do Kubernetes' own keywords. */
const mayBeNonStructural = (spec: DefinitionSpec): boolean =>
  spec.preserveUnknownFields && !schemasOf(spec).some(hasExtensions);

function unchangedSchemas(spec: DefinitionSpec, old: DefinitionSpec): ReadonlySet<string> {
  const schemaIn = (definition: DefinitionSpec, name: string): JsonValue | undefined => {
    const version = definition.versions.find((one) => one.name === name);
    const validation = version?.validation ?? definition.shared.validation;
    return version && ((validation?.openAPIV3Schema ?? null) as JsonValue);
  };
  const names = spec.versions.map(({ name }) => name);
  return new Set(names.filter((name) => deepEqual(schemaIn(spec, name), schemaIn(old, name))));
}

export const isStructuralSchema = (schema: Parameters<typeof validateStructural>[0]): boolean =>
  notStructural(schema) === undefined && validateStructural(schema, "").length === 0;

interface Known {
  readonly old: Definition;
  readonly forgiven: Forgiven;
}

const known = new WeakMap<KubeObject, Known>();

/** Returns the faults that an update of `old` to `definition` forgives. It is computed once for a pair of objects, because both are large. */
export const forgivenOfUpdate = (definition: Definition, old: Definition, request: DefinitionRequest): Forgiven =>
  atOnce(forgivenOfUpdateSteps(definition, old, request));

export function* forgivenOfUpdateSteps(
  definition: Definition,
  old: Definition,
  request: DefinitionRequest,
): Steps<Forgiven> {
  const found = known.get(definition);
  if (found?.old === old) return found.forgiven;
  const [spec, before] = [definitionSpec(object(definition.spec)), definitionSpec(object(old.spec))];
  yield;
  const facts = {
    established: isEstablished(old),
    beta: isBeta(request),
    dialect: ruleDialect(request.release?.version, request.release?.minCompatibility),
  };
  const forgiven = yield* forgivenSteps(spec, before, facts);
  known.set(definition, { old, forgiven });
  return forgiven;
}

export function isEstablished(definition: Definition): boolean {
  return received
    .objects(definition.status?.conditions)
    .some(({ type, status }) => type === "Established" && status === "True");
}
