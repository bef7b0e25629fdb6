import { fitsInt, fitsUint, intOf } from "../values/int.js";
import { Double, Uint, type Value } from "../values/value.js";
import { LiteralError } from "./literal-error.js";
import { unquoteBytes, unquoteString } from "./unquote.js";

/** What a token of a literal means. Throws {@link LiteralError}. */
export function literalValue(kind: string, text: string): Value {
  switch (kind) {
    case "NUM_INT": {
      const value = integerOf(text);
      if (!fitsInt(value)) throw new LiteralError("invalid int literal");
      return intOf(value);
    }
    case "NUM_UINT": {
      const value = integerOf(text.slice(0, -1));
      if (!fitsUint(value)) throw new LiteralError("invalid uint literal");
      return new Uint(value);
    }
    case "NUM_FLOAT": {
      const value = Number(text);
      if (!Number.isFinite(value)) throw new LiteralError("invalid double literal");
      return new Double(value);
    }
    case "STRING":
      return unquoteString(text);
    case "BYTES":
      return unquoteBytes(text.slice(1));
    case "true":
    case "false":
      return kind === "true";
    default:
      return null;
  }
}

function integerOf(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}
