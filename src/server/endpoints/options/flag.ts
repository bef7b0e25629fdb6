/** As apimachinery reads a flag of a query: whatever is not false or 0 is true. */
export const flag = (value: string | null): boolean =>
  value !== null && value.toLowerCase() !== "false" && value !== "0";
