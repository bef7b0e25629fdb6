import {
  AwkError,
  type AwkFunction,
  type AwkProgram,
  type Expression,
  type Rule,
  type Statement,
} from "./awk-syntax.js";
import { AwkExpressionParser } from "./parse-awk-expression.js";

class AwkParser extends AwkExpressionParser {
  program(): AwkProgram {
    const begin: Statement[] = [];
    const end: Statement[] = [];
    const rules: Rule[] = [];
    this.skipTerminators();
    while (this.token.kind !== "end") {
      if (this.isKeyword("function")) this.#function();
      else if (this.isKeyword("BEGIN") || this.isKeyword("END")) {
        const to = this.take().text === "BEGIN" ? begin : end;
        to.push(this.#block());
      } else rules.push(this.#rule());
      this.skipTerminators();
    }
    for (const one of this.functions)
      if (one.body === undefined) throw new AwkError(`line ${this.line()}: function ${one.name} never defined`);
    this.#findArrays();
    return { begin, rules, end, functions: this.functions, slots: this.slots };
  }

  /** A parameter that is passed on as an array is one. */
  #findArrays(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const { from, slot, to, at } of this.passed) {
        if (from === undefined || from.arrays.has(slot) || this.functions[to]?.arrays.has(at) !== true) continue;
        from.arrays.add(slot);
        changed = true;
      }
    }
  }

  #function(): void {
    this.take();
    const { kind, text: name } = this.take();
    if (kind !== "name" && kind !== "call") throw this.syntaxError();
    this.expect("(");
    const parameters: string[] = [];
    while (!this.is(")")) {
      const parameter = this.take();
      if (parameter.kind !== "name") throw this.syntaxError();
      parameters.push(parameter.text);
      this.skipNewlines();
      if (!this.accept(",")) break;
      this.skipNewlines();
    }
    this.expect(")");
    this.skipNewlines();
    const index = this.functionSlot(name);
    const known = this.functions[index];
    if (known?.body !== undefined) throw new AwkError(`line ${this.line()}: function ${name} is already defined`);
    const made: AwkFunction = { name, parameters, arrays: new Set(), body: undefined };
    this.functions[index] = this.current = made;
    made.body = this.#block();
    this.current = undefined;
  }

  #rule(): Rule {
    const patterns: Expression[] = [];
    if (!this.is("{")) {
      patterns.push(this.expression());
      if (this.accept(",")) {
        this.skipNewlines();
        patterns.push(this.expression());
      }
    }
    return { patterns, action: this.is("{") ? this.#block() : undefined };
  }

  #block(): Statement {
    this.expect("{");
    const body: Statement[] = [];
    this.skipTerminators();
    while (!this.is("}")) {
      if (this.token.kind === "end") throw new AwkError(`line ${this.line()}: missing } near end of file`);
      body.push(this.nested(() => this.#statement()));
      this.skipTerminators();
    }
    this.take();
    return { kind: "block", body };
  }

  /** The statement that a condition or a loop is for. */
  #body(): Statement {
    this.skipNewlines();
    if (this.accept(";")) return { kind: "block", body: [] };
    return this.nested(() => this.#statement());
  }

  #statement(): Statement {
    if (this.is("{")) return this.#block();
    if (this.token.kind === "keyword") {
      switch (this.token.text) {
        case "if":
          return this.#if();
        case "while": {
          this.take();
          const condition = this.#parenthesized();
          return { kind: "while", condition, body: this.#body(), testsLast: false };
        }
        case "do":
          return this.#do();
        case "for":
          return this.#for();
        default:
      }
    }
    const statement = this.#simple();
    if (!this.is("}") && this.token.kind !== "end") {
      if (this.token.kind !== "newline" && !this.is(";")) throw this.syntaxError();
      this.take();
    }
    return statement;
  }

  #parenthesized(): Expression {
    this.expect("(");
    const expression = this.expression();
    this.expect(")");
    return expression;
  }

  #if(): Statement {
    this.take();
    const condition = this.#parenthesized();
    const whenTrue = this.#body();
    // A semicolon or lines may stand before else.
    this.skipTerminators();
    if (!this.isKeyword("else")) return { kind: "if", condition, whenTrue, otherwise: undefined };
    this.take();
    return { kind: "if", condition, whenTrue, otherwise: this.#body() };
  }

  #do(): Statement {
    this.take();
    const body = this.#body();
    this.skipTerminators();
    if (!this.isKeyword("while")) throw this.syntaxError();
    this.take();
    return { kind: "while", condition: this.#parenthesized(), body, testsLast: true };
  }

  #for(): Statement {
    this.take();
    this.expect("(");
    const first = this.is(";") ? undefined : this.#simple();
    if (first?.kind === "expression" && first.expression.kind === "in" && this.is(")")) {
      const [subscript] = first.expression.kids;
      if (subscript?.kind !== "name" || subscript.ref === undefined || first.expression.ref === undefined)
        throw this.syntaxError();
      this.take();
      return { kind: "forIn", name: subscript.ref, array: first.expression.ref, body: this.#body() };
    }
    this.expect(";");
    this.skipNewlines();
    const condition = this.is(";") ? undefined : this.expression();
    this.expect(";");
    this.skipNewlines();
    const step = this.is(")") ? undefined : this.#simple();
    this.expect(")");
    return { kind: "for", first, condition, step, body: this.#body() };
  }

  #simple(): Statement {
    if (this.token.kind !== "keyword") return { kind: "expression", expression: this.expression() };
    switch (this.token.text) {
      case "print":
      case "printf":
        return this.#print();
      case "next":
      case "nextfile":
      case "break":
      case "continue":
        return { kind: this.take().text as "next" };
      case "exit":
      case "return": {
        const kind = this.take().text as "exit";
        const isAlone = this.ends(";", "}");
        return { kind, expression: isAlone ? undefined : this.expression() };
      }
      case "delete": {
        this.take();
        const array = this.arrayName();
        let subscripts: Expression[] = [];
        if (this.accept("[")) {
          subscripts = this.list("]");
          this.expect("]");
        }
        return { kind: "delete", array, subscripts };
      }
      default:
        return { kind: "expression", expression: this.expression() };
    }
  }

  #print(): Statement {
    const formatted = this.take().text === "printf";
    let args: readonly Expression[] = [];
    if (!this.ends(";", "}", ">", ">>", "|")) {
      args = this.expressions({ inPrint: true });
      const [only] = args;
      if (args.length === 1 && only?.kind === "grouping") args = only.kids;
    }
    if (formatted && args.length === 0) throw this.syntaxError();
    for (const op of [">", ">>", "|"] as const) {
      if (!this.accept(op)) continue;
      return { kind: "print", formatted, args, to: { op, target: this.conditional({ inPrint: true }) } };
    }
    return { kind: "print", formatted, args, to: undefined };
  }
}

export function parseAwk(text: string): AwkProgram {
  return new AwkParser(text).program();
}
