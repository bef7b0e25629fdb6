/** Parses a resourceVersion into a revision: 0 for "" and "0", undefined when it is no unsigned 64-bit integer. */
export function parseResourceVersion(text: string | undefined): number | undefined {
  if (text === undefined || text === "" || text === "0") return 0;
  const digits = /^0*([0-9]{1,20})$/.exec(text)?.[1];
  if (digits === undefined || BigInt(digits) >= 2n ** 64n) return undefined;
  return Number(text);
}
