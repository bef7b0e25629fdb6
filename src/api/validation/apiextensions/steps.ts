import { Pace } from "../../../base/time/pace.js";
import type { Steps } from "../../../base/async/steps.js";
import { isFields, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { DefinitionRequest } from "./beta-spec.js";
import { definitionSpec } from "./definition-spec.js";
import { forgivenOfCreate, forgivenOfUpdateSteps } from "./forgiven.js";
import { schemaPatternProblem } from "./pattern.js";
import { schemaHas } from "./schema-fields.js";
import { unknownFormatsIn } from "./warnings.js";
import { judgeVersionSchemaSteps, SCHEMA_OF_ALL, schemaPathOf } from "./version-schema.js";
import type { Definition, Schema } from "./definition-types.js";

/**
 * Does the long part of validating a definition ahead, in steps: everything about its schemas. The validation of a create, or of
 * an update of `old`, with the same objects is fast afterwards.
 */
export function* customResourceDefinitionSteps(
  definition: Definition,
  old?: KubeObject,
  request: DefinitionRequest = { apiVersion: "" },
): Steps<void> {
  const spec = definitionSpec(object(definition.spec));
  yield;
  const forgiven =
    old === undefined ? forgivenOfCreate(spec, request) : yield* forgivenOfUpdateSteps(definition, old, request);
  const { shared, versions } = spec;
  const parts = [
    { ...shared, path: SCHEMA_OF_ALL, name: versions[0]?.name ?? "" },
    ...versions.map((version, index) => ({ ...version, path: schemaPathOf(index) })),
  ];
  for (const { validation, path, name } of parts) {
    const schema = validation?.openAPIV3Schema;
    if (!isFields(schema)) continue;
    yield* patternSteps(schema);
    unknownFormatsIn(schema);
    yield;
    yield* judgeVersionSchemaSteps(schema, path, { forgiven, forgivesCost: forgiven.unchangedSchemas.has(name) });
  }
}

function* patternSteps(schema: Schema): Steps<void> {
  const withPattern: Schema[] = [];
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
