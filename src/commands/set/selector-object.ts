import { setKey } from "../../machinery/wire/json/own-keys.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { LabelOperator } from "../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";

/** A metav1.LabelSelector. */
export interface SelectorObject {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

const OPERATORS: Readonly<Partial<Record<LabelOperator, string>>> = {
  in: "In",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};

/** Reads `a=b,c in (d,e)`. Throws for what is no selector, and for operators that only queries have. */
export function parseSelector(text: string): SelectorObject {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: SelectorObject["matchExpressions"][number][] = [];
  for (const { key, operator, values } of requirements(text)) {
    if (operator === "=" || operator === "==") {
      setKey(matchLabels, key, values[0] ?? "");
      continue;
    }
    if (operator === "gt" || operator === "lt") {
      throw new Error(`${goQuote(operator)} isn't supported in label selectors`);
    }
    const name = OPERATORS[operator];
    if (name === undefined) throw new Error(`${goQuote(operator)} is not a valid label selector operator`);
    matchExpressions.push({ key, operator: name, values });
  }
  return { matchLabels, matchExpressions };
}

function requirements(text: string): NonNullable<ReturnType<typeof parseLabelSelector>["requirements"]> {
  try {
    return parseLabelSelector(text).requirements ?? [];
  } catch (error) {
    const message = errorMessage(error);
    throw new Error(`couldn't parse the selector string "${text}": ${message}`, { cause: error });
  }
}

/** The labels a Service's selector asks for; it can ask for nothing else. */
export function requireEquality({ matchLabels, matchExpressions }: SelectorObject): Readonly<Record<string, string>> {
  if (matchExpressions.length === 0) return matchLabels;
  const shown = matchExpressions.map(({ key, operator, values }) => `{${key} ${operator} [${values.join(" ")}]}`);
  throw new Error(`match expression [${shown.join(" ")}] not supported on this object`);
}
