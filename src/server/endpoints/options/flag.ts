/** Reads a boolean of the query as apimachinery does: any value but "false" and "0" is true. */
export const flag = (value: string | null): boolean =>
  value !== null && value.toLowerCase() !== "false" && value !== "0";
