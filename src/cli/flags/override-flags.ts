import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";

/** How a command's own object is changed before it is created. */
export const overrideFlags: readonly FlagSpec[] = [
  { name: "overrides", type: "string", usage: "JSON that changes the object before it is created" },
  {
    name: "override-type",
    type: "string",
    default: "merge",
    usage: "What --overrides is: json (a list of operations), merge, or strategic",
  },
];

export const readOverrides = (flags: Flags): { readonly text: string; readonly type: string } => ({
  text: flags.string("overrides"),
  type: flags.string("override-type"),
});
