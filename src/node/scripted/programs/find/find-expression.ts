import type { FileNode } from "../../files/node.js";
import type { ProgramIo } from "../../program.js";
import { ProgramFailure } from "../gnu-program.js";
import { ACTIONS, TESTS } from "./find-predicates.js";

/** A file that find visits. */
export interface Entry {
  /** As find names it: the operand, and names behind it. */
  readonly path: string;
  readonly name: string;
  /** The operand that it lies under. */
  readonly start: string;
  readonly depth: number;
  readonly node: FileNode;
}

/** The walk of find: the functions that its expression calls. */
export interface Walk {
  readonly io: ProgramIo;
  readonly now: number;
  write(text: string): Promise<void> | undefined;
  flush(): Promise<void>;
  /** Says what is wrong; find ends with 1. */
  complain(message: string): Promise<void>;
  /** Says so alone. */
  say(message: string): Promise<void>;
  /** What lies in the folder is left out. */
  prune(): void;
  /** The walk ends. */
  quit(): void;
  /** Called when the walk has ended. */
  atEnd(act: () => Promise<void>): void;
  fail(): void;
}

export type Predicate = (entry: Entry, walk: Walk) => boolean | Promise<boolean>;

export interface FindOptions {
  leastDepth: number;
  mostDepth: number;
  /** Folders come behind what lies in them. */
  depthFirst: boolean;
}

export interface FindExpression {
  readonly test: Predicate;
  readonly options: FindOptions;
}

/** How deep parentheses and negations may stand in others. */
const DEEPEST = 500;

/** Parses an expression. An expression without an action prints. */
export function parseFind(args: readonly string[], io: ProgramIo): FindExpression {
  const parser = new FindParser(args, io);
  return { test: parser.parse(), options: parser.options };
}

export class FindParser {
  readonly options: FindOptions = { leastDepth: 0, mostDepth: Number.POSITIVE_INFINITY, depthFirst: false };
  #at = 0;
  #acts = false;
  #depth = 0;

  constructor(
    private readonly args: readonly string[],
    readonly io: ProgramIo,
  ) {}

  parse(): Predicate {
    if (this.args.length === 0) return print;
    const test = this.#list();
    if (this.args[this.#at] === ")") throw new ProgramFailure("you have too many ')'");
    return this.#acts ? test : both(test, print);
  }

  /** The argument of a predicate. */
  argument(predicate: string): string {
    const text = this.args[this.#at];
    if (text === undefined) throw new ProgramFailure(`missing argument to \`${predicate}'`);
    this.#at += 1;
    return text;
  }

  /** The command of an action, and whether it takes many files at a time. */
  command(predicate: string): { readonly argv: readonly string[]; readonly isBatch: boolean } {
    const argv: string[] = [];
    for (;;) {
      const word = this.argument(predicate);
      if (word === ";") return { argv, isBatch: false };
      if (word === "+" && argv.at(-1) === "{}") return { argv: argv.slice(0, -1), isBatch: true };
      argv.push(word);
    }
  }

  #list(): Predicate {
    let left = this.#either();
    while (this.args[this.#at] === ",") {
      this.#at += 1;
      const [first, second] = [left, this.#either()];
      left = async (entry, walk) => {
        await first(entry, walk);
        return second(entry, walk);
      };
    }
    return left;
  }

  #either(): Predicate {
    let left = this.#both();
    while (this.args[this.#at] === "-o" || this.args[this.#at] === "-or") {
      const operator = this.args[this.#at] ?? "";
      this.#at += 1;
      if (this.#at >= this.args.length) throw new ProgramFailure(`expected an expression after '${operator}'`);
      const [first, second] = [left, this.#both()];
      left = (entry, walk) => {
        const chosen = first(entry, walk);
        if (typeof chosen === "boolean") return chosen || second(entry, walk);
        return chosen.then((one) => one || second(entry, walk));
      };
    }
    return left;
  }

  #both(): Predicate {
    let left = this.#primary();
    for (;;) {
      const next = this.args[this.#at];
      if (next === undefined || next === ")" || next === "," || next === "-o" || next === "-or") return left;
      if (next === "-a" || next === "-and") {
        this.#at += 1;
        if (this.#at >= this.args.length) throw new ProgramFailure(`expected an expression after '${next}'`);
      }
      left = both(left, this.#primary());
    }
  }

  #primary(): Predicate {
    if ((this.#depth += 1) > DEEPEST) throw new ProgramFailure("the expression is nested too deeply");
    const predicate = this.#predicate();
    this.#depth -= 1;
    return predicate;
  }

  #predicate(): Predicate {
    const word = this.args[this.#at] ?? "";
    this.#at += 1;
    if (word === "(") {
      if (this.args[this.#at] === ")")
        throw new ProgramFailure("invalid expression; empty parentheses are not allowed.");
      const inner = this.#at >= this.args.length ? undefined : this.#list();
      if (inner === undefined || this.args[this.#at] !== ")") {
        throw new ProgramFailure("invalid expression; I was expecting to find a ')' somewhere but did not see one.");
      }
      this.#at += 1;
      return inner;
    }
    if (word === "!" || word === "-not") {
      if (this.#at >= this.args.length) throw new ProgramFailure(`expected an expression after '${word}'`);
      const inner = this.#primary();
      return (entry, walk) => {
        const chosen = inner(entry, walk);
        return typeof chosen === "boolean" ? !chosen : chosen.then((one) => !one);
      };
    }
    if (["-o", "-or", "-a", "-and", ","].includes(word)) {
      throw new ProgramFailure(`invalid expression; you have used a binary operator '${word}' with nothing before it.`);
    }
    const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
    if (action !== undefined) {
      if (word !== "-prune" && word !== "-quit") this.#acts = true;
      return action(this, word);
    }
    const test = Object.hasOwn(TESTS, word) ? TESTS[word] : undefined;
    if (test !== undefined) return test(this, word);
    if (word.startsWith("-")) throw new ProgramFailure(`unknown predicate \`${word}'`);
    throw new ProgramFailure(`paths must precede expression: \`${word}'`);
  }
}

const both =
  (first: Predicate, second: Predicate): Predicate =>
  (entry, walk) => {
    const chosen = first(entry, walk);
    if (typeof chosen === "boolean") return chosen && second(entry, walk);
    return chosen.then((one) => one && second(entry, walk));
  };

const print: Predicate = async (entry, walk) => {
  await walk.write(`${entry.path}\n`);
  return true;
};
