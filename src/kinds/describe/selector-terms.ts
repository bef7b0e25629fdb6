import type { DescriptionWriter } from "./description.js";

export interface TermRequirement {
  readonly key: string;
  /** As it is shown: "in", "exists". */
  readonly operator: string;
  readonly values: readonly string[];
}

/** "Term 0:" and "key in [a, b]", a requirement a line. */
export function describeTerm(
  description: DescriptionWriter,
  level: number,
  title: string,
  requirements: readonly TermRequirement[],
): void {
  description.write(level, `${title}:\t`);
  if (requirements.length === 0) description.write(0, "<none>\n");
  for (const [index, { key, operator, values }] of requirements.entries()) {
    if (index > 0) description.write(level, "\t");
    const among = values.length === 0 ? "" : ` [${values.join(", ")}]`;
    description.write(0, `${key} ${operator}${among}\n`);
  }
}
