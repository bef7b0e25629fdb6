import type { FlagSection } from "../../src/component/component-flag.js";

/** The table of docs/components.md for a program: flags without effect and refused flags, by their reasons. */
export function flagsOutOfUse(sections: readonly FlagSection[]): string {
  const byReason = new Map<string, string[]>();
  for (const { name, withoutEffect, refused, dropped } of sections.flatMap(({ flags }) => flags)) {
    const what =
      refused === undefined
        ? (withoutEffect ?? dropped) && `no effect | ${withoutEffect ?? `Kubernetes has dropped it: ${dropped}`}`
        : `refused | ${refused}`;
    if (what !== undefined) byReason.set(what, [...(byReason.get(what) ?? []), `\`--${name}\``]);
  }
  const rows = [...byReason].map(([what, names]) => `| ${names.join(", ")} | ${what} |`);
  return ["| flags | what becomes of them | why |", "|---|---|---|", ...rows].join("\n");
}
