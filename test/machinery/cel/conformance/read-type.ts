import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  listType,
  mapType,
  NULL,
  nullableType,
  objectType,
  opaqueType,
  optionalType,
  STRING,
  TIMESTAMP,
  Type,
  typeParameter,
  typeType,
  UINT,
} from "../../../../src/machinery/cel/types/type.js";
import { WELL_KNOWN_TYPES } from "../../../../src/machinery/cel/types/well-known.js";
import type { WrittenType } from "./suite.js";

const PRIMITIVES: Readonly<Record<string, Type>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
};

const WELL_KNOWN: Readonly<Record<string, Type>> = { ANY, TIMESTAMP, DURATION };

function known(table: Readonly<Record<string, Type>>, name: unknown): Type {
  const type = table[String(name)];
  if (type === undefined) throw new Error(`the suite names an unknown type ${String(name)}`);
  return type;
}

/** The type that the suite writes. */
export function readType(written: WrittenType): Type {
  const [kind, value] = Object.entries(written)[0] ?? ["dyn", {}];
  const parts = value as Readonly<Record<string, WrittenType>>;
  switch (kind) {
    case "dyn":
      return DYN;
    case "null":
      return NULL;
    case "error":
      return ERROR;
    case "primitive":
      return known(PRIMITIVES, value);
    case "wrapper":
      return nullableType(known(PRIMITIVES, value));
    case "wellKnown":
      return known(WELL_KNOWN, value);
    case "listType":
      return listType(readType(parts.elemType ?? {}));
    case "mapType":
      return mapType(readType(parts.keyType ?? {}), readType(parts.valueType ?? {}));
    case "messageType":
      return WELL_KNOWN_TYPES.findType(String(value)) ?? objectType(String(value));
    case "typeParam":
      return typeParameter(String(value));
    case "type":
      return Object.keys(parts).length === 0 ? new Type("type", "type") : typeType(readType(parts));
    case "abstractType":
      return abstractType(value as { readonly name: string; readonly parameterTypes?: readonly WrittenType[] });
    default:
      throw new Error(`the suite writes a type in an unknown way: ${kind}`);
  }
}

function abstractType(written: { readonly name: string; readonly parameterTypes?: readonly WrittenType[] }): Type {
  const parameters = (written.parameterTypes ?? []).map(readType);
  return written.name === "optional_type"
    ? optionalType(parameters[0] ?? DYN)
    : opaqueType(written.name, ...parameters);
}
