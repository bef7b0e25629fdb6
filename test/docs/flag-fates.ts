import type { ComponentFlag, FlagSection } from "../../src/component/component-flag.js";

/** What a component does not obey, as tables of its documentation: flags of one reason share a row. */
export interface FlagFates {
  readonly withoutEffect: string;
  readonly refused: string;
  readonly dropped: string;
}

/** Writes the tables of a component's flags in Markdown. */
export function flagFates(sections: readonly FlagSection[]): FlagFates {
  const flags = sections.flatMap((section) => section.flags);
  return {
    withoutEffect: tableOf("why it has no effect", flags, ({ withoutEffect }) => withoutEffect),
    refused: tableOf("why it is refused", flags, ({ refused }) => refused),
    dropped: tableOf("instead", flags, ({ dropped }) => dropped),
  };
}

function tableOf(
  heading: string,
  flags: readonly ComponentFlag[],
  reasonOf: (flag: ComponentFlag) => string | undefined,
): string {
  const rows = new Map<string, string[]>();
  for (const flag of flags) {
    const reason = reasonOf(flag);
    if (reason !== undefined) rows.set(reason, [...(rows.get(reason) ?? []), `\`--${flag.name}\``]);
  }
  const lines = [...rows].map(([reason, names]) => `| ${names.toSorted().join(", ")} | ${reason} |`);
  return [`| flag | ${heading} |`, "|---|---|", ...lines.toSorted()].join("\n");
}
