import { Environment, type EnvironmentOptions } from "../../../src/machinery/cel/environment.js";
import type { ProgramOptions, Bindings, Evaluation } from "../../../src/machinery/cel/program.js";
import type { TypeProvider } from "../../../src/machinery/cel/types/provider.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  objectType,
  STRING,
  TIMESTAMP,
  type Type,
} from "../../../src/machinery/cel/types/type.js";

const FIELDS: Readonly<Record<string, Type>> = {
  replicas: INT,
  maxReplicas: INT,
  weight: DOUBLE,
  name: STRING,
  names: listType(STRING),
  labels: mapType(STRING, STRING),
  children: listType(objectType("Widget")),
  data: BYTES,
  created: TIMESTAMP,
  timeout: DURATION,
  extra: DYN,
  paused: BOOL,
};

/** An object type as a schema would declare it. It contains itself. */
export const WIDGETS: TypeProvider = {
  findType: (name) => (name === "Widget" ? objectType("Widget") : undefined),
  findField(typeName, field) {
    if (typeName !== "Widget") return undefined;
    if (field === "a__dash__b") return { type: STRING, key: "a-b" };
    const type = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    return type && { type };
  },
};

/** An environment with variables of these types, and `self`, a Widget. */
export function environment(
  variables: Readonly<Record<string, Type>> = {},
  more: EnvironmentOptions = {},
): Environment {
  const declared = Object.entries({ self: objectType("Widget"), ...variables });
  return Environment.create({ types: WIDGETS, variables: declared.map(([name, type]) => ({ name, type })), ...more });
}

/** Compiles an expression that must be right, and evaluates it. */
export function evaluate(
  env: Environment,
  text: string,
  bindings: Bindings = {},
  options: ProgramOptions = {},
): Evaluation {
  const compiled = env.compile(text);
  if (compiled.ast === undefined) throw new Error(compiled.issues.toString());
  return env.program(compiled.ast, options).evaluate(bindings);
}
