import { formatFieldErrors } from "../errors/field-error.js";
import {
  labelKeyErrors,
  type LabelOperator,
  labelRequirement,
  type LabelRequirement,
  type LabelSelector,
  labelSelector,
  SelectorError,
} from "./label-selector.js";

type Token = "end" | "error" | "identifier" | ")" | "," | "!" | "==" | "=" | ">" | "in" | "<" | "!=" | "notin" | "(";

interface Scanned {
  readonly token: Token;
  readonly literal: string;
}

const SYMBOLS: ReadonlySet<string> = new Set(["=", "!", "(", ")", ",", ">", "<"]);
const SPACES: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n"]);
const SYMBOL_TOKENS: ReadonlySet<string> = new Set([")", ",", "!", "==", "=", ">", "<", "!=", "("]);

const BINARY_OPERATORS: Readonly<Partial<Record<Token, LabelOperator>>> = {
  in: "in",
  "=": "=",
  "==": "==",
  ">": "gt",
  "<": "lt",
  notin: "notin",
  "!=": "!=",
};

/**
 * Parses `a=b,c!=d,e in (x,y),!f,g,h>1`. Throws a {@link SelectorError} with apimachinery's message. `path` names the
 * field that held the text, where errors of keys and values show one.
 */
export function parseLabelSelector(text: string, path = ""): LabelSelector {
  return labelSelector(new Parser(scan(text), path === "" ? "<nil>" : path, path).parse());
}

function scan(text: string): readonly Scanned[] {
  const items: Scanned[] = [];
  let position = 0;
  for (;;) {
    while (SPACES.has(text[position] ?? "")) position++;
    const char = text[position];
    if (char === undefined || char === "\0") return [...items, { token: "end", literal: "" }];
    const start = position;
    if (SYMBOLS.has(char)) {
      const scanned = scanSymbol(text, start);
      items.push(scanned.item);
      position = scanned.end;
      continue;
    }
    while (position < text.length && text[position] !== "\0") {
      const next = text[position] ?? "";
      if (SYMBOLS.has(next) || SPACES.has(next)) break;
      position++;
    }
    const literal = text.slice(start, position);
    items.push({ token: literal === "in" || literal === "notin" ? literal : "identifier", literal });
  }
}

/** The longest run of symbols whose beginning is an operator, scanned as apimachinery does. */
function scanSymbol(text: string, start: number): { item: Scanned; end: number } {
  let position = start;
  let last: Scanned | undefined;
  while (SYMBOLS.has(text[position] ?? "")) {
    const run = text.slice(start, position + 1);
    if (SYMBOL_TOKENS.has(run)) last = { token: run as Token, literal: run };
    else if (last !== undefined) break;
    position++;
  }
  const wrong: Scanned = { token: "error", literal: `error expected: keyword found '${text.slice(start, position)}'` };
  return { item: last ?? wrong, end: position };
}

class Parser {
  #position = 0;

  constructor(
    private readonly items: readonly Scanned[],
    private readonly keyPath: string,
    private readonly path: string,
  ) {}

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const { token, literal } = this.#peek();
      if (token === "end") return requirements;
      if (token !== "identifier" && token !== "!") {
        throw new SelectorError(`found '${literal}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirementOrThrow());
      const separator = this.#next();
      if (separator.token === "end") return requirements;
      if (separator.token !== ",") {
        throw new SelectorError(`found '${separator.literal}', expected: ',' or 'end of string'`);
      }
      const following = this.#peek();
      if (following.token !== "identifier" && following.token !== "!") {
        throw new SelectorError(`found '${following.literal}', expected: identifier after ','`);
      }
    }
  }

  #requirementOrThrow(): LabelRequirement {
    try {
      return this.#requirement();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`);
    }
  }

  #requirement(): LabelRequirement {
    let { token, literal } = this.#next();
    const negated = token === "!";
    if (negated) ({ token, literal } = this.#next());
    if (token !== "identifier") throw new SelectorError(`found '${literal}', expected: identifier`);
    const key = literal;
    const errors = labelKeyErrors(key, this.keyPath);
    if (errors.length > 0) throw new SelectorError(formatFieldErrors(errors));
    if (negated) return labelRequirement(key, "!", [], this.path);
    const after = this.#peek().token;
    if (after === "end" || after === ",") return labelRequirement(key, "exists", [], this.path);
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#values() : [this.#exactValue()];
    return labelRequirement(key, operator, [...new Set(values)].sort(), this.path);
  }

  #operator(): LabelOperator {
    const { token, literal } = this.#nextRaw();
    const operator = BINARY_OPERATORS[token];
    if (operator === undefined) {
      throw new SelectorError(`found '${literal}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    return operator;
  }

  #values(): string[] {
    const open = this.#next();
    if (open.token !== "(") throw new SelectorError(`found '${open.literal}' expected: '('`);
    const { token, literal } = this.#peek();
    if (token === ")") {
      this.#next();
      return [""];
    }
    if (token !== "identifier" && token !== ",") {
      throw new SelectorError(`found '${literal}', expected: ',', ')' or identifier`);
    }
    const values = this.#identifiers();
    if (this.#next().token !== ")") throw new SelectorError(`found '${literal}', expected: ')'`);
    return values;
  }

  /** Identifiers between commas; an empty place is the empty value. */
  #identifiers(): string[] {
    const values: string[] = [];
    for (;;) {
      const { token, literal } = this.#next();
      if (token === "identifier") {
        values.push(literal);
        const after = this.#peek();
        if (after.token === ")") return values;
        if (after.token !== ",") throw new SelectorError(`found '${after.literal}', expected: ',' or ')'`);
      } else if (token === ",") {
        if (values.length === 0) values.push("");
        const after = this.#peek().token;
        if (after === ")" || after === ",") values.push("");
        if (after === ")") return values;
      } else throw new SelectorError(`found '${literal}', expected: ',', or identifier`);
    }
  }

  #exactValue(): string {
    const after = this.#peek().token;
    if (after === "end" || after === ",") return "";
    const { token, literal } = this.#next();
    if (token !== "identifier") throw new SelectorError(`found '${literal}', expected: identifier`);
    return literal;
  }

  /** Where a value or key may stand, `in` and `notin` are ordinary words. */
  #peek(): Scanned {
    const item = this.items[this.#position] ?? { token: "end" as const, literal: "" };
    return item.token === "in" || item.token === "notin" ? { ...item, token: "identifier" } : item;
  }

  #next(): Scanned {
    const item = this.#peek();
    this.#position++;
    return item;
  }

  #nextRaw(): Scanned {
    const item = this.items[this.#position] ?? { token: "end" as const, literal: "" };
    this.#position++;
    return item;
  }
}
