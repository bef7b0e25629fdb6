import type { PodSchedulingGroup, Taint, Toleration, TopologySpreadConstraint } from "../../api/types/core/v1.js";
import { absent, isStruct, objects, type OrAbsent, type Received, text } from "../../machinery/meta/received.js";
import { formatSelectorObject } from "../../machinery/selectors/api-label-selector.js";
import type { DescriptionWriter } from "./description.js";
import { sortedBy, whole } from "./go-fields.js";

/** Writes a list with one item per line, the first beside the title. */
export function describeColumn(description: DescriptionWriter, title: string, lines: readonly string[]): void {
  const shown = lines.length === 0 ? ["<none>"] : lines;
  for (const [index, line] of shown.entries()) description.write(0, `${index === 0 ? `${title}:` : ""}\t${line}\n`);
}

export function describeTolerations(
  description: DescriptionWriter,
  title: string,
  tolerations: OrAbsent<Received<Toleration[]>>,
): void {
  const lines = sortedBy(tolerations, ({ key }) => text(key)).map((toleration) => {
    const [key, value, effect] = [text(toleration.key), text(toleration.value), text(toleration.effect)];
    let line = `${key}${value === "" ? "" : `=${value}`}${effect === "" ? "" : `:${effect}`}`;
    if (toleration.operator === "Exists" && value === "") line += `${line === "" ? "" : " "}op=Exists`;
    const { tolerationSeconds } = toleration;
    return absent(tolerationSeconds) ? line : `${line} for ${whole(tolerationSeconds)}s`;
  });
  describeColumn(description, title, lines);
}

/** Writes taints as "key=value:effect". */
export function describeTaints(
  description: DescriptionWriter,
  title: string,
  taints: OrAbsent<Received<Taint[]>>,
): void {
  const sorted = sortedBy(taints, ({ effect, key }) => `${text(effect)},${text(key)}`);
  const lines = sorted.map(({ key, value, effect }) => {
    const pair = text(value) === "" ? text(key) : `${text(key)}=${text(value)}`;
    return text(effect) === "" && text(value) === "" ? pair : `${pair}:${text(effect)}`;
  });
  describeColumn(description, title, lines);
}

/** Writes the topology spread constraints; nothing without any. */
export function describeTopologySpread(
  description: DescriptionWriter,
  constraints: OrAbsent<Received<TopologySpreadConstraint[]>>,
  indent = "",
): void {
  if (objects(constraints).length === 0) return;
  const lines = sortedBy(constraints, ({ topologyKey }) => text(topologyKey)).map((constraint) => {
    const { topologyKey, whenUnsatisfiable, maxSkew, labelSelector } = constraint;
    const selector = isStruct(labelSelector) ? formatSelectorObject(labelSelector) : undefined;
    const what = `${text(topologyKey)}:${text(whenUnsatisfiable)} when max skew ${whole(maxSkew)} is exceeded`;
    return selector === undefined ? what : `${what} for selector ${selector}`;
  });
  for (const [index, line] of lines.entries()) {
    description.write(0, `${indent}${index === 0 ? "Topology Spread Constraints:" : ""}\t${line}\n`);
  }
}

/** Writes the scheduling group; nothing without one. */
export function describeSchedulingGroup(
  description: DescriptionWriter,
  group: OrAbsent<Received<PodSchedulingGroup>>,
  indent = "",
): void {
  if (!isStruct(group)) return;
  description.write(0, `${indent}SchedulingGroup:\n`);
  description.write(1, `PodGroupName:\t${text(group.podGroupName)}\n`);
}

export interface TermRequirement {
  readonly key: string;
  /** As it is shown: "in", "exists". */
  readonly operator: string;
  readonly values: readonly string[];
}

/** Writes a term as "Term 0:" and a line for each requirement: "key in [a, b]". */
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
