import { isIP } from "node:net";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { parseQuantity } from "../../machinery/text/quantity/quantity.js";
import type { ComponentFlag } from "../component-flag.js";
import { parseInteger } from "../flags/flag-value.js";
import { pairsOfType } from "../flags/pairs.js";

/** The address in the value of a flag of type ip; undefined for an empty value and for "<nil>". */
export const ipOf = (text: string): string | undefined => {
  const address = text.trim();
  return address === "" || address === "<nil>" ? undefined : address;
};

/** Returns pflag's error for an invalid IP address. */
export function ipFault(text: string): string | undefined {
  const address = ipOf(text);
  return address === undefined || isIP(address) !== 0 ? undefined : `failed to parse IP: ${goQuote(text)}`;
}

/** Returns a fault for a number below zero. */
export const notNegative =
  (fault: string) =>
  (value: number): readonly string[] =>
    value < 0 ? [fault] : [];

/** Returns pflag's error for an invalid list of 32-bit integers. */
export function int32sFault(text: string): string | undefined {
  return faultOf(() => text.split(",").forEach((part) => parseInteger(part, 32)));
}

/** Returns apimachinery's error for an invalid quantity. */
export const quantityFault = (text: string): string | undefined => faultOf(() => parseQuantity(text));

/** A range of ports, both ends inclusive. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const MOST = 65_535;

/** Reads "30000-32767", "30000+2768" or "30000". @throws with apimachinery's text */
export function parsePortRange(text: string): PortRange {
  const [, low = "", sign, high = ""] = /^(\d+)(?:([-+])(\d+))?$/.exec(text.trim()) ?? [];
  if (low === "") throw new Error(`unable to parse port range: ${text}`);
  const first = Number(low);
  const last = sign === undefined ? first : sign === "-" ? Number(high) : Math.min(first + Number(high), MOST);
  if (first > MOST || last > MOST) throw new Error(`the port range cannot be greater than 65535: ${text}`);
  if (last < first) throw new Error(`end port cannot be less than start port: ${text}`);
  return { first, last };
}

/** Returns the error that {@link parsePortRange} throws. */
export const portRangeFault = (text: string): string | undefined => faultOf(() => parsePortRange(text));

/** The type of component-base's ConfigurationMap: keys, with values or without. The last entry of a key wins. */
export const configurationPairs: Pick<ComponentFlag & { type: "mapStringString" }, "type" | "parse"> = {
  type: "mapStringString",
  parse(text, before) {
    const entries = new Map(before.map((entry) => [cut(entry)[0], entry]));
    for (const part of text.split(",")) {
      const [key, value] = cut(part);
      if (part !== "") entries.set(key, part.includes("=") ? `${key}=${value}` : key);
    }
    return [...entries.values()];
  },
};

/** The type of a flag with one pair per occurrence: a comma is part of the value. */
export const claimPairs: Pick<ComponentFlag & { type: "mapStringString" }, "type" | "parse"> = {
  type: "mapStringString",
  parse(text, before) {
    const [pair = ""] = pairsOfType("mapStringString").parse(text.replaceAll(",", "\0"), []);
    const [key] = cut(pair);
    return [...before.filter((one) => cut(one)[0] !== key), pair.replaceAll("\0", ",")];
  },
};

function cut(pair: string): [key: string, value: string] {
  const equals = pair.indexOf("=");
  return equals < 0 ? [pair.trim(), ""] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
