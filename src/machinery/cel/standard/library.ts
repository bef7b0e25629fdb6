import type { Library, VariableDeclaration } from "../functions/declaration.js";
import { STANDARD_MACROS } from "../parser/macros.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  LIST_OF_DYN,
  MAP_OF_DYN,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  TYPE,
  typeType,
  UINT,
} from "../types/type.js";
import { ARITHMETIC } from "./arithmetic.js";
import { COMPARISON } from "./comparison.js";
import { CONVERSIONS } from "./conversions.js";
import { LOGIC } from "./logic.js";
import { STRINGS } from "./strings.js";
import { TIME } from "./time.js";

const TYPES: readonly Type[] = [
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  LIST_OF_DYN,
  MAP_OF_DYN,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
];

/** The library of every environment: the operators, functions, macros and types of the language itself. */
export const STANDARD_LIBRARY: Library = {
  functions: [...LOGIC, ...ARITHMETIC, ...COMPARISON, ...STRINGS, ...CONVERSIONS, ...TIME],
  macros: STANDARD_MACROS,
  variables: TYPES.map((type): VariableDeclaration => ({ name: type.name, type: typeType(type), value: type })),
};
