import {
  addQuantities,
  compareQuantities,
  negateQuantity,
  parseQuantity,
  type Quantity,
  quantityAsInt64,
  QuantityError,
} from "../../text/quantity/quantity.js";
import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { BOOL, DOUBLE, INT, STRING, type Type } from "../types/type.js";
import { intOf, Double, ErrorValue, NO_SUCH_OVERLOAD, type Value } from "../values/value.js";
import { spendSteps } from "../values/meter.js";
import { KubernetesValue, kubernetesType, parsed } from "./kubernetes-value.js";

export const QUANTITY_TYPE = kubernetesType("Quantity");

/** A resource.Quantity. */
class QuantityValue extends KubernetesValue {
  readonly type: Type = QUANTITY_TYPE;
  readonly quantity: Quantity;
  /** Whether it is what `add` or `sub` made. Kubernetes cannot compare with such a one on the right of `==`. */
  readonly computed: boolean;

  constructor(quantity: Quantity, computed = false) {
    super();
    this.quantity = quantity;
    this.computed = computed;
  }

  override isEqualTo(other: Value): boolean | ErrorValue {
    return other instanceof QuantityValue && other.computed ? NO_SUCH_OVERLOAD : super.isEqualTo(other);
  }

  equals(other: Value): boolean {
    return other instanceof QuantityValue && compare(this, other) === 0;
  }
}

type Int = number | bigint;

const NO_INTEGER = new ErrorValue("cannot convert value to integer");

function parse(text: string): QuantityValue | ErrorValue {
  const quantity = parsed(text, parseQuantity, QuantityError);
  if (quantity instanceof ErrorValue) return quantity;
  spendDigits(quantity, ONE);
  return new QuantityValue(quantity);
}

const ONE: Quantity = { unscaled: 1n, scale: 0, format: "DecimalSI" };

/** Pays for an operation on two numbers, of which one gets digits so that both have as many places. A scale may be some thousands. */
function spendDigits(a: Quantity, b: Quantity): void {
  spendSteps(5 + Math.abs(a.scale - b.scale));
}

function sum(a: QuantityValue, b: Quantity): QuantityValue {
  spendDigits(a.quantity, b);
  return new QuantityValue(addQuantities(a.quantity, b), true);
}

function ofInt(value: Int): Quantity {
  return { unscaled: BigInt(value), scale: 0, format: "DecimalExponent" };
}

function compare(a: QuantityValue, b: QuantityValue): number {
  spendDigits(a.quantity, b.quantity);
  return compareQuantities(a.quantity, b.quantity);
}

function sign({ quantity: { unscaled } }: QuantityValue): Value {
  return unscaled === 0n ? 0 : unscaled < 0n ? -1 : 1;
}

function asInteger({ quantity }: QuantityValue): Value {
  spendDigits(quantity, ONE);
  const value = quantityAsInt64(quantity);
  return value === undefined ? NO_INTEGER : intOf(value);
}

/** Computed as apimachinery does it, so that the digits that get lost are the same. */
function asApproximateFloat({ quantity: { unscaled, scale } }: QuantityValue): Value {
  return new Double(scale === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${scale}`));
}

const Q = QUANTITY_TYPE;

/** Kubernetes' functions of quantities (`1.5Gi`). Source: apiserver's cel/library. */
export const QUANTITY: Library = {
  functions: [
    { name: "quantity", overloads: [globalOverload("string_to_quantity", [STRING], Q, parse)] },
    {
      name: "isQuantity",
      overloads: [
        globalOverload("is_quantity_string", [STRING], BOOL, (text: string) => parse(text) instanceof QuantityValue),
      ],
    },
    // Kubernetes declares it as a function: it is called sign(quantity), and not quantity.sign().
    { name: "sign", overloads: [globalOverload("quantity_sign", [Q], INT, sign)] },
    {
      name: "isGreaterThan",
      overloads: [
        memberOverload(
          "quantity_is_greater_than",
          [Q, Q],
          BOOL,
          (a: QuantityValue, b: QuantityValue) => compare(a, b) > 0,
        ),
      ],
    },
    {
      name: "isLessThan",
      overloads: [
        memberOverload(
          "quantity_is_less_than",
          [Q, Q],
          BOOL,
          (a: QuantityValue, b: QuantityValue) => compare(a, b) < 0,
        ),
      ],
    },
    { name: "compareTo", overloads: [memberOverload("quantity_compare_to", [Q, Q], INT, compare)] },
    {
      name: "asApproximateFloat",
      overloads: [memberOverload("quantity_get_float", [Q], DOUBLE, asApproximateFloat)],
    },
    { name: "asInteger", overloads: [memberOverload("quantity_get_int", [Q], INT, asInteger)] },
    {
      name: "isInteger",
      overloads: [
        memberOverload("quantity_is_integer", [Q], BOOL, (value: QuantityValue) => asInteger(value) !== NO_INTEGER),
      ],
    },
    {
      name: "add",
      overloads: [
        memberOverload("quantity_add", [Q, Q], Q, (a: QuantityValue, b: QuantityValue) => sum(a, b.quantity)),
        memberOverload("quantity_add_int", [Q, INT], Q, (a: QuantityValue, b: Int) => sum(a, ofInt(b))),
      ],
    },
    {
      name: "sub",
      overloads: [
        memberOverload("quantity_sub", [Q, Q], Q, (a: QuantityValue, b: QuantityValue) =>
          sum(a, negateQuantity(b.quantity)),
        ),
        memberOverload("quantity_sub_int", [Q, INT], Q, (a: QuantityValue, b: Int) => sum(a, negateQuantity(ofInt(b)))),
      ],
    },
  ],
};
