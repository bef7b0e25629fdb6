import type { JsonValue } from "../../../machinery/meta/json.js";
import { ArrayList } from "../../../machinery/cel/values/list.js";
import { MapValue } from "../../../machinery/cel/values/map.js";
import { Double, type Value } from "../../../machinery/cel/values/value.js";
import { unescapeName } from "../../../machinery/structural/rules/escape-name.js";

/** A JSON value as expressions see a claim: every number is a double, and names may be escaped (`claims.foo__dot__bar`). */
export function claimsValue(value: JsonValue): Value {
  if (typeof value === "number" || typeof value === "bigint") return new Double(Number(value));
  if (Array.isArray(value)) return new ArrayList(value.map(claimsValue));
  if (typeof value !== "object" || value === null) return value;
  return new NamedValues(new Map(Object.entries(value).map(([name, held]) => [name, claimsValue(held)])));
}

/** A map that finds "a.b" by `a__dot__b` too. */
class NamedValues extends MapValue {
  constructor(private readonly values: ReadonlyMap<string, Value>) {
    super();
  }

  get size(): number {
    return this.values.size;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    return this.values.get(unescapeName(key) ?? key);
  }

  keys(): Iterable<Value> {
    return this.values.keys();
  }
}
