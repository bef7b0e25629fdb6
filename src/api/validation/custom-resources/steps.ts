import { Pace } from "../../../base/pace.js";
import type { Steps } from "../../../base/steps.js";
import { isFields, object, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { definitionSpec } from "./definition-spec.js";
import { schemaPatternProblem } from "./pattern.js";
import { schemaHas } from "./schema-walk.js";
import { judgeVersionSchemaSteps, SCHEMA_OF_ALL, schemaPathOf } from "./version-schema.js";

/**
 * Does ahead, in steps, what takes long in validating a definition: all that is judged of its schemas. The validation of a create or an
 * update of the same object finishes soon afterwards.
 */
export function* customResourceDefinitionSteps(definition: KubeObject): Steps<void> {
  const { shared, versions } = definitionSpec(object(definition.spec));
  const parts = [
    { ...shared, path: SCHEMA_OF_ALL },
    ...versions.map((version, index) => ({ ...version, path: schemaPathOf(index) })),
  ];
  for (const { validation, path } of parts) {
    const schema = validation?.openAPIV3Schema;
    if (!isFields(schema)) continue;
    yield* patternSteps(schema);
    yield* judgeVersionSchemaSteps(schema, path);
  }
}

function* patternSteps(schema: ReadonlyFields): Steps<void> {
  const withPattern: ReadonlyFields[] = [];
  schemaHas(schema, (inner) => {
    if (typeof inner.pattern === "string") withPattern.push(inner);
    return false;
  });
  const pace = new Pace(PATTERNS_PER_STEP);
  yield;
  for (const inner of withPattern) {
    schemaPatternProblem(inner);
    if (pace.isDue()) yield;
  }
}

/** To read a short pattern takes up to a tenth of a millisecond. */
const PATTERNS_PER_STEP = 16;
