/** A parsed template: its parts in order. An action (`{...}`) is a list of steps; each step gets the results of the previous one. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly steps: readonly Step[] };

export type Step =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "recursive" }
  | { readonly kind: "slice"; readonly from: Bound; readonly to: Bound; readonly step: Bound }
  | { readonly kind: "union"; readonly alternatives: readonly (readonly Step[])[] }
  | {
      readonly kind: "filter";
      readonly left: readonly Step[];
      /** "exists" has no right side; an unknown operator is an error when it is evaluated. */
      readonly operator: string;
      readonly right: readonly Step[];
    }
  | { readonly kind: "literal"; readonly value: number | bigint | boolean; readonly float: boolean }
  | { readonly kind: "identifier"; readonly name: string };

/** The bound of a slice; undefined where it was not given. `derived` marks the end of a single index, which is the index plus one. */
export type Bound = { readonly value: number; readonly derived?: boolean } | undefined;

/** Prints a template so that parsing it again gives the same one. */
export function formatTemplate(template: Template): string {
  return template.map((part) => (part.kind === "text" ? part.text : `{${formatSteps(part.steps)}}`)).join("");
}

function formatSteps(steps: readonly Step[]): string {
  let text = "";
  for (const [index, step] of steps.entries()) {
    const afterRecursive = steps[index - 1]?.kind === "recursive";
    const needsSpace = index > 0 && (isWord(step) || isWord(steps[index - 1]));
    text += (needsSpace ? " " : "") + formatStep(step, afterRecursive);
  }
  return text;
}

function isWord(step: Step | undefined): boolean {
  return step?.kind === "identifier" || step?.kind === "literal";
}

function formatStep(step: Step, afterRecursive: boolean): string {
  switch (step.kind) {
    case "text":
      return JSON.stringify(step.text);
    case "field": {
      const name = step.name.replace(/[ \t\r\n.,[\]$@{}]/g, "\\$&");
      return afterRecursive && /^[\p{L}\p{Nd}_]/u.test(name) ? name : `.${name}`;
    }
    case "wildcard":
      return afterRecursive ? "[*]" : ".*";
    case "recursive":
      return "..";
    case "slice":
      return `[${formatSlice(step.from, step.to, step.step)}]`;
    case "union":
      return `[${step.alternatives.map(formatAlternative).join(",")}]`;
    case "filter": {
      const right = step.operator === "exists" ? "" : `${step.operator}${formatSteps(step.right)}`;
      return `[?(@${formatSteps(step.left)}${right})]`;
    }
    case "literal":
      return step.float && Number.isInteger(step.value) ? `${step.value}.0` : String(step.value);
    case "identifier":
      return step.name;
  }
}

function formatSlice(from: Bound, to: Bound, step: Bound): string {
  const start = from === undefined ? "" : String(from.value);
  if (to?.derived === true) return start;
  const end = to === undefined ? ":" : `:${to.value}`;
  return `${start}${end}${step === undefined ? "" : `:${step.value}`}`;
}

function formatAlternative(steps: readonly Step[]): string {
  const [step] = steps;
  if (step?.kind === "field") return `'${step.name}'`;
  return step?.kind === "slice" ? formatSlice(step.from, step.to, step.step) : formatSteps(steps);
}

/** Thrown for a template that cannot be parsed, or that does not fit the data. The message is client-go's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}
