import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";
import type { SortBy } from "./metrics.js";

export const sortByFlag = (what: string): FlagSpec => ({
  name: "sort-by",
  type: "string",
  usage: `What uses most first: 'cpu' or 'memory'; otherwise ${what} are sorted by name`,
});

export const topNoHeadersFlag: FlagSpec = {
  name: "no-headers",
  type: "bool",
  usage: "Leave the headings out of the table",
};

export const protobufFlag: FlagSpec = {
  name: "use-protocol-buffers",
  type: "bool",
  default: "true",
  usage: "Accepted for scripts written for kubectl: this program reads the metrics API as JSON",
};

export const showSwapFlag: FlagSpec = { name: "show-swap", type: "bool", usage: "Show swap memory too" };

export function readSortBy(flags: Flags): SortBy {
  const value = flags.string("sort-by");
  if (value === "" || value === "cpu" || value === "memory") return value;
  throw new Error("--sort-by accepts only cpu or memory");
}
