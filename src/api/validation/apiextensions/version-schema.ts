import { append } from "../../../base/collections/append.js";
import type { Steps } from "../../../base/async/steps.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  formatFieldErrors,
} from "../../../machinery/errors/field-error.js";
import { isFields, text, object, objects, type ReadonlyFields } from "../../../machinery/meta/access.js";
import { JudgedAhead, judgeDefaultsSteps, validateDefaults } from "./schema-defaults.js";
import type { Forgiven } from "./forgiven.js";
import { RuleExpressions } from "./rule-expressions.js";
import { type SchemaRules, validateSchema, validateSchemaSteps } from "./schema.js";
import { goSchema, isSet, SCHEMA_FIELDS } from "./schema-fields.js";
import { notStructural, validateStructural, validateStructuralSteps } from "./structural.js";
import type { Definition, Spec, Version, Validation, Schema } from "./definition-types.js";

/** The path of the field that holds the schema of all versions. */
export const SCHEMA_OF_ALL = "spec.validation";
export const schemaPathOf = (version: number): string => `spec.versions[${version}].schema`;

export interface VersionSchemaOptions {
  /** Whether status is written apart. */
  readonly hasStatus: boolean;
  readonly forgiven: Forgiven;
  /** Whether rules may cost more than the limit: the schema did not change. */
  readonly forgivesCost: boolean;
}

/** Validates the schema of one version, or the one of all versions. `path` is that of the field that holds it. */
export function validateVersionSchema(
  validation: Validation | undefined,
  path: string,
  { hasStatus, forgiven, forgivesCost }: VersionSchemaOptions,
): FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (!isFields(schema)) return [];
  const at = `${path}.openAPIV3Schema`;
  const errors = hasStatus ? validateRoot(schema, at) : [];
  if (schema.nullable === true) errors.push(forbiddenField(`${at}.nullable`, "nullable cannot be true at the root"));
  const problem = forgiven.nonStructural ? "" : (broken.get(schema, "") ?? notStructural(schema) ?? "");
  const isJudged = problem === "" && !forgiven.nonStructural;
  const problems = isJudged ? structuralProblems(schema, at, forgiven) : [];
  append(errors, problems);
  const rules: SchemaRules = {
    ...rulesBy(forgiven),
    expressions: isJudged && problems.length === 0 ? RuleExpressions.of(schema, forgiven.dialect) : undefined,
    forgivesCost,
  };
  append(errors, whole.get(schema, keyOf(at, rules)) ?? validateSchema(schema, at, rules));
  // The same would be said twice.
  return problem !== "" && errors.length === 0 ? [invalidValue(at, "", problem)] : errors;
}

function structuralProblems(schema: Schema, path: string, forgiven: Forgiven): readonly FieldError[] {
  const errors = structural.get(schema, path) ?? validateStructural(schema, path);
  if (errors.length > 0) return errors;
  const problems = validateDefaults(schema, path, true);
  return problems.length > 0 && forgiven.unprunedDefaults ? validateDefaults(schema, path, false) : problems;
}

const structural = new JudgedAhead<readonly FieldError[]>();
const broken = new JudgedAhead<string>();
const whole = new JudgedAhead<readonly FieldError[]>();

export interface JudgeOptions {
  readonly forgiven: Forgiven;
  readonly forgivesCost: boolean;
}

/** Does the long parts of {@link validateVersionSchema} ahead, in steps. */
export function* judgeVersionSchemaSteps(
  schema: Schema,
  path: string,
  { forgiven, forgivesCost }: JudgeOptions,
): Steps<void> {
  const at = `${path}.openAPIV3Schema`;
  yield;
  const problem = broken.set(schema, "", notStructural(schema) ?? "");
  yield;
  let expressions: RuleExpressions | undefined;
  const isJudged = problem === "" && !forgiven.nonStructural;
  if (isJudged && structural.set(schema, at, yield* validateStructuralSteps(schema, at)).length === 0) {
    const problems = yield* judgeDefaultsSteps(schema, at, true);
    if (problems.length === 0) expressions = RuleExpressions.of(schema, forgiven.dialect);
  }
  yield;
  if (expressions !== undefined) yield* expressions.prepareSteps();
  const rules: SchemaRules = { ...rulesBy(forgiven), expressions, forgivesCost };
  whole.set(schema, keyOf(at, rules), yield* validateSchemaSteps(schema, at, rules));
  yield;
}

const rulesBy = (forgiven: Forgiven) => ({
  requireKnownTypes: !forgiven.unknownTypes,
  requireAtomicSets: !forgiven.nonAtomicSets,
  requireMapKeys: !forgiven.looseMapKeys,
  noDefaults: forgiven.noDefaults,
  storedRules: forgiven.storedRules,
});

function keyOf(path: string, rules: SchemaRules): string {
  const { requireKnownTypes, requireAtomicSets, requireMapKeys, noDefaults, expressions, forgivesCost = false } = rules;
  const asked = [requireKnownTypes, requireAtomicSets, requireMapKeys, noDefaults !== undefined];
  return [...asked, expressions !== undefined, forgivesCost, path].join(" ");
}

const AT_ROOT =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const ALLOWED_AT_ROOT: ReadonlySet<string> = new Set(AT_ROOT.split(" "));
const APART = "of the schema if the status subresource is enabled";

/** Where status is written apart, its schema is taken out of the whole, which must not lose anything by that. */
function validateRoot(schema: Schema, path: string): FieldError[] {
  const fields: ReadonlyFields = schema;
  for (const field of SCHEMA_FIELDS) {
    if (!isSet(fields[field.wire], field)) continue;
    if (field.go === "Type" && schema.type !== "object") {
      const detail = `only "object" is allowed as the type at the root ${APART}`;
      return [invalidValue(`${path}.type`, text(schema.type), detail)];
    }
    if (ALLOWED_AT_ROOT.has(field.go)) continue;
    const detail = `only [${AT_ROOT}] fields are allowed at the root ${APART}`;
    return [invalidValue(path, goSchema(schema), detail)];
  }
  return [];
}

export interface NonStructural {
  readonly reason: "Violations" | "StructuralError";
  readonly message: string;
}

/** Returns the errors by which a definition that preserves unknown fields is not structural: the message of the condition NonStructuralSchema. */
export function* nonStructuralSteps(definition: Definition): Steps<NonStructural> {
  const spec: Spec = object(definition.spec);
  const versions: readonly Version[] = objects(spec.versions);
  const errors: FieldError[] = [invalidValue("spec.preserveUnknownFields", true, "must be false")];
  for (const [index, version] of versions.entries()) {
    const { openAPIV3Schema: schema }: Validation = object(version.schema);
    if (!isFields(schema)) continue;
    const problem = notStructural(schema);
    if (problem !== undefined) {
      const message = `failed to check validation schema for version ${text(version.name)}: ${problem}`;
      return { reason: "StructuralError", message };
    }
    append(errors, yield* validateStructuralSteps(schema, `${schemaPathOf(index)}.openAPIV3Schema`));
  }
  return { reason: "Violations", message: formatFieldErrors(errors) };
}
