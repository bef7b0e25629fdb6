import { parseQuantity, type Quantity } from "../../machinery/text/quantity/quantity.js";

const NO_INT = "{value:(int64)0 scale:(resource.Scale)0}";
const NO_DECIMAL = "{Dec:(*inf.Dec)<nil>}";

/** A resource.Quantity that was read from this text, without its type: as an int64 and a scale, or as a decimal of any length. */
export function dumpQuantity(text: string): string {
  const quantity = parseQuantity(text);
  const { unscaled, scale, format, text: kept = "", wide = false } = quantity;
  const int = wide ? NO_INT : `{value:(int64)${unscaled} scale:(resource.Scale)${scale}}`;
  const decimal = wide ? dumpDecimal(quantity) : NO_DECIMAL;
  return `{i:(resource.int64Amount)${int} d:(resource.infDecAmount)${decimal} s:(string)${kept} Format:(resource.Format)${format}}`;
}

function dumpDecimal({ unscaled, scale }: Quantity): string {
  const abs = words(unscaled < 0n ? -unscaled : unscaled).join(" ");
  const integer = `{neg:(bool)${unscaled < 0n} abs:(big.nat)[${abs}]}`;
  // inf.Dec counts the digits behind the point, a Quantity the zeros before it.
  return `{Dec:(*inf.Dec){unscaled:(big.Int)${integer} scale:(inf.Scale)${scale === 0 ? 0 : -scale}}}`;
}

/** The number's words of 64 bits, the lowest first, as big.Int holds them. */
function words(number: bigint): bigint[] {
  const found: bigint[] = [];
  for (let rest = number; rest > 0n; rest >>= 64n) found.push(BigInt.asUintN(64, rest));
  return found;
}
