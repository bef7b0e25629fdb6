import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";

// Why flags have no effect.
export const NO_CLOUD = "the program knows no cloud";
export const FIXED = "the controller keeps to Kubernetes' default";
export const AT_ONCE = "the controller follows changes, and looks at nothing in periods";

// The checks of flags: each answers what is wrong with a text.
export const positive = (text: string): string | undefined => (Number(text) > 0 ? undefined : "must be larger than 0");

export function positiveDuration(text: string): string | undefined {
  return /^-|^\+?(?:0[a-zµμ]*)+$/.test(text) ? "must be longer than 0s" : undefined;
}

export const blocks = (text: string): string | undefined => {
  const wrong = text.split(",").find((block) => text !== "" && parseIpv4Prefix(block) === undefined);
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not a block of IPv4 addresses`;
};

export const oneOf =
  (...values: readonly string[]) =>
  (text: string): string | undefined =>
    values.includes(text) ? undefined : `must be one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
