import { parseQuantity, quantityValue } from "./quantity.js";

/** A cluster has few different quantities; each is parsed once. */
const MOST_KNOWN = 4096;
const milliValues = new Map<string, number>();
const wholeValues = new Map<string, number>();

/** A quantity in thousandths, rounded up: "0.5" is 500. */
export function milliValue(quantity: string | number): number {
  return remembered(milliValues, quantity, -3);
}

/** A quantity in its unit, rounded up: "1Ki" is 1024. */
export function wholeValue(quantity: string | number): number {
  return remembered(wholeValues, quantity, 0);
}

function remembered(known: Map<string, number>, quantity: string | number, scale: number): number {
  const text = String(quantity);
  let value = known.get(text);
  if (value === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    value = Number(quantityValue(parseQuantity(text), scale));
    known.set(text, value);
  }
  return value;
}
