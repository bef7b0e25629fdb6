import type { Steps } from "../../base/async/steps.js";
import { inSlices } from "../../base/async/time-slice.js";
import { type FieldError, type FieldErrorType, invalidValue } from "../../machinery/errors/field-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { CorrelatedValue } from "../../machinery/structural/ratchet.js";
import type { RuleDialect } from "../../machinery/structural/rules/dialect.js";
import { compileRules, type RuleValidator } from "../../machinery/structural/rules/validate-rules.js";
import type { StructuralSchema } from "../../machinery/structural/structural-schema.js";
import { NO_PATH } from "../../machinery/structural/validation-result.js";
import { compileValueValidation, type ValueValidator } from "../../machinery/structural/validate-value.js";
import type { Measuring } from "../metrics/measures.js";
import type { CustomScale } from "./custom-scale.js";
import type { StrategyContext } from "../registry/strategy.js";

/** Rules speak of objects that are as their schema says: with these errors they are not asked. */
const BLOCKING: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);
const NOT_ASKED =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

interface JudgedWrite {
  /** It is of the status subresource. */
  readonly isStatus: boolean;
}

type Warn = StrategyContext["warn"];

/**
 * Judges the objects of one version of a custom kind: by its schema, then by the rules in it. What it needs of either is made at the
 * first write. Source: apiextensions' customResourceStrategy.
 */
export class ObjectJudge {
  readonly #validator: ValueValidator;
  readonly #rules: RuleValidator | undefined;
  #prepared: Promise<void> | undefined;

  constructor(
    private readonly schema: StructuralSchema,
    private readonly scale: CustomScale | undefined,
    dialect?: RuleDialect,
    private readonly measuring?: Measuring,
  ) {
    this.#validator = compileValueValidation(schema);
    this.#rules = compileRules(schema, true, dialect);
  }

  /** Makes ready, in slices of the event loop, all that validation and defaults need of the schema: of a large one that takes long. */
  prepare(): Promise<void> {
    return (this.#prepared ??= inSlices(this.#validator.prepareSteps()));
  }

  /** The problems of an object, in slices of the event loop. `old` is undefined for a new one. */
  async judge(
    draft: KubeObject,
    old: KubeObject | undefined,
    warn: Warn,
    write: JudgedWrite,
  ): Promise<readonly FieldError[]> {
    await this.prepare();
    return inSlices(this.#steps(draft, old, warn, write));
  }

  *#steps(
    draft: KubeObject,
    old: KubeObject | undefined,
    warn: Warn,
    { isStatus }: JudgedWrite,
  ): Steps<readonly FieldError[]> {
    const { schema } = this;
    const [value, before] = [draft as JsonObject, old as JsonObject | undefined];
    const correlated = before === undefined ? undefined : new CorrelatedValue(value, before, schema);
    const ofSchema =
      isStatus && before !== undefined && correlated !== undefined
        ? this.#validator.status(value, before, correlated)
        : this.#validator(value, before, { correlated });
    const ofScale = this.scale?.problems(draft, isStatus) ?? [];
    const errors = ofScale.length === 0 ? ofSchema : [...ofSchema, ...ofScale];
    const rules = this.#rules;
    if (rules === undefined) return errors;
    if (errors.some(({ type }) => BLOCKING.has(type))) return [...errors, invalidValue(NO_PATH, null, NOT_ASKED)];
    const { errors: ofRules } = yield* rules.steps(value, { correlated, warn, measures: this.measuring?.on });
    return [...errors, ...ofRules];
  }
}
