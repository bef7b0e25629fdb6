import type { Steps } from "../../../../base/async/steps.js";
import { parseAssignment } from "./parse-assignment.js";
import { parseCondition } from "./parse-condition.js";
import {
  type Assignment,
  type CaseBranch,
  type Command,
  type Redirect,
  ShellSyntaxError,
  type SimpleCommand,
  type Word,
} from "./syntax.js";
import { CommandReader } from "./command-reader.js";

const MOST_NESTED = 200;

const FUNCTION = /[^\s;&|<>()$`'"\\=]+[ \t]*\([ \t]*\)/y;

const COPROC = /coproc(?=[ \t])/y;
const NAME = /^[A-Za-z_]\w*$/;

/** The builtins whose arguments may be assignments. */
const DECLARING = new Set(["declare", "export", "local", "readonly", "typeset"]);

/** What a command takes beside its words, in bytes. */
const COMMAND_BYTES = 512;

/** Parses a script line by line, because a shell runs the lines before one that it cannot parse. */
export class Parser extends CommandReader {
  /** The commands of the next line, and of those that it goes on in; undefined at the end. Throws a {@link ShellSyntaxError}. */
  *line(): Steps<Command | undefined> {
    for (;;) {
      this.aliases.beginLine();
      yield* this.skip(true);
      if (this.reader.at >= this.text.length) return undefined;
      const list = yield* this.#list(false);
      if (this.reader.at < this.text.length && !this.lineBreakAhead()) throw this.unexpected();
      yield* this.skip(true);
      if (this.documents.arePending) yield* this.readDocuments();
      // An alias may stand for nothing.
      if (list.kind !== "list" || list.commands.length > 0) return list;
    }
  }

  protected override *whole(): Steps<Command> {
    const commands: Command[] = [];
    for (let one = yield* this.line(); one !== undefined; one = yield* this.line()) commands.push(one);
    return listOf(commands);
  }

  /** A parser of a text in this one. */
  protected override inner(text: string, line: number): Parser {
    const aliases = this.aliases.inner();
    const options = { ...this.options, take: (bytes: number) => this.count(bytes), isWhole: true, aliases };
    return new Parser(text, options, line, this.depth + 1, this.reader.nested);
  }

  protected override *substitution(): Steps<Command> {
    const body = yield* this.#list(true);
    yield* this.skip(true);
    if (!this.take(")")) throw this.unexpected('")"');
    return body;
  }

  /** Commands up to what cannot begin one, of this line alone or of `lines`. */
  *#list(lines: boolean): Steps<Command> {
    if ((this.depth += 1) > MOST_NESTED)
      throw new ShellSyntaxError("Syntax error: nested too deeply", this.reader.line);
    const commands: Command[] = [];
    for (;;) {
      do yield* this.skip(lines);
      while (this.aliases.areThere && (yield* this.expandAliases()));
      if (this.#atListEnd() || this.lineBreakAhead()) break;
      const command = yield* this.#andOr();
      yield* this.skip(false);
      const background = this.take("&");
      commands.push(background ? { kind: "background", command } : command);
      if (!background && !this.take(";") && !(lines && this.lineBreakAhead())) break;
    }
    this.depth -= 1;
    return listOf(commands);
  }

  *#andOr(): Steps<Command> {
    const first = yield* this.#pipeline();
    const rest: { readonly after: "success" | "failure"; readonly command: Command }[] = [];
    for (;;) {
      yield* this.skip(false);
      const after = this.take("&&") ? "success" : this.take("||") ? "failure" : undefined;
      if (after === undefined) return rest.length === 0 ? first : { kind: "and-or", first, rest };
      yield* this.skip(true);
      rest.push({ after, command: yield* this.#pipeline() });
    }
  }

  *#pipeline(): Steps<Command> {
    yield* this.skip(false);
    let negated = false;
    while (yield* this.takeKeyword("!", false)) negated = !negated;
    const isNegated = negated;
    const stages = [yield* this.#command()];
    for (;;) {
      yield* this.skip(false);
      if (this.text.startsWith("||", this.reader.at) || !this.take("|")) break;
      if (this.take("&")) stages.push(withErrors(stages.pop()));
      yield* this.skip(true);
      stages.push(yield* this.#command());
    }
    const [only] = stages;
    return stages.length === 1 && only !== undefined && !isNegated
      ? only
      : { kind: "pipeline", stages, negated: isNegated };
  }

  *#command(): Steps<Command> {
    this.count(COMMAND_BYTES);
    yield* this.skip(false);
    if (this.aliases.areThere) yield* this.expandAliases();
    const keyword = this.keyword();
    if (this.options.hasBraces && this.#atCoproc()) return yield* this.#coprocess();
    switch (keyword) {
      case "if":
        return yield* this.#if();
      case "while":
      case "until":
        return yield* this.#while(keyword === "until");
      case "for":
      case "select":
        return yield* this.#for(keyword);
      case "case":
        return yield* this.#case();
      case "function":
        return yield* this.#function();
      case "[[":
        return yield* this.#condition();
      case "{": {
        yield* this.expect("{");
        const body = yield* this.#list(true);
        yield* this.expect("}");
        return { kind: "group", body, redirects: yield* this.redirects() };
      }
      case undefined:
        break;
      default:
        throw this.unexpected();
    }
    if (this.text.startsWith("((", this.reader.at)) {
      const arithmetic = yield* this.#arithmetic();
      if (arithmetic !== undefined) return arithmetic;
    }
    if (this.take("(")) {
      const body = yield* this.substitution();
      return { kind: "subshell", body, redirects: yield* this.redirects() };
    }
    FUNCTION.lastIndex = this.reader.at;
    return FUNCTION.test(this.text) ? yield* this.#function() : yield* this.#simple();
  }

  *#function(): Steps<Command> {
    yield* this.takeKeyword("function");
    yield* this.skip(false);
    const name = plainText(yield* this.reader.word());
    if (name === undefined) throw new ShellSyntaxError("Syntax error: Bad function name", this.reader.line);
    yield* this.skip(false);
    if (this.take("(")) {
      yield* this.skip(false);
      if (!this.take(")")) throw this.unexpected('")"');
    }
    yield* this.skip(true);
    const before = this.taken;
    if ((this.depth += 1) > MOST_NESTED)
      throw new ShellSyntaxError("Syntax error: nested too deeply", this.reader.line);
    const body = yield* this.#command();
    this.depth -= 1;
    if (body.kind === "simple" || body.kind === "function") throw this.unexpected('"{"');
    return { kind: "function", name, body, bytes: this.taken - before };
  }

  #atCoproc(): boolean {
    COPROC.lastIndex = this.reader.at;
    return COPROC.test(this.text);
  }

  /** A name may stand before a command that is no simple one. */
  *#coprocess(): Steps<Command> {
    yield* this.reader.word();
    yield* this.skip(false);
    const { at } = this.reader;
    if ((this.depth += 1) > MOST_NESTED)
      throw new ShellSyntaxError("Syntax error: nested too deeply", this.reader.line);
    const isNamed = this.keyword() === undefined && NAME.test(plainText(yield* this.reader.word()) ?? "");
    if (isNamed) yield* this.skip(false);
    const isCompound = isNamed && (this.keyword() !== undefined || this.text[this.reader.at] === "(");
    const name = isCompound ? this.text.slice(at, this.reader.at).trim() : "COPROC";
    if (!isCompound) this.reader.at = at;
    const command = yield* this.#command();
    this.depth -= 1;
    return { kind: "coprocess", name, command };
  }

  *#condition(): Steps<Command> {
    const { line } = this.reader;
    yield* this.expect("[[");
    const condition = yield* parseCondition({ ...this.source, reader: this.reader });
    return { kind: "condition", condition, line, redirects: yield* this.redirects() };
  }

  /** ((expression)); undefined where two subshells begin here. */
  *#arithmetic(): Steps<Command | undefined> {
    const { line } = this.reader;
    const end = yield* this.reader.endOfDouble(this.reader.at + 2);
    if (end === undefined) return undefined;
    const expression = yield* this.#expression(2, end);
    this.reader.at = end + 2;
    return { kind: "arithmetic", expression, line, redirects: yield* this.redirects() };
  }

  /** The text up to `end`, without its first characters. */
  *#expression(skipped: number, end: number): Steps<Word> {
    this.reader.at += skipped;
    return yield* this.reader.wordUpTo(end);
  }

  *#if(): Steps<Command> {
    const branches = [];
    let otherwise: Command | undefined;
    yield* this.expect("if");
    for (;;) {
      const test = yield* this.#list(true);
      yield* this.expect("then");
      branches.push({ test, body: yield* this.#list(true) });
      if (yield* this.takeKeyword("elif")) continue;
      if (yield* this.takeKeyword("else")) otherwise = yield* this.#list(true);
      yield* this.expect("fi");
      return { kind: "if", branches, otherwise, redirects: yield* this.redirects() };
    }
  }

  *#while(until: boolean): Steps<Command> {
    yield* this.expect(until ? "until" : "while");
    const test = yield* this.#list(true);
    const body = yield* this.#body();
    return { kind: "while", until, test, body, redirects: yield* this.redirects() };
  }

  *#for(kind: "for" | "select"): Steps<Command> {
    yield* this.expect(kind);
    yield* this.skip(false);
    if (kind === "for" && this.text.startsWith("((", this.reader.at)) return yield* this.#counting();
    const name = plainText(yield* this.reader.word());
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name))
      throw new ShellSyntaxError(`Syntax error: Bad ${kind} loop variable`, this.reader.line);
    yield* this.skip(true);
    let words: Word[] | undefined;
    if (plainText(yield* this.peekWord()) === "in") {
      yield* this.reader.word();
      words = [];
      for (yield* this.skip(false); ; yield* this.skip(false)) {
        const word = yield* this.reader.word();
        if (word === undefined) break;
        words.push(...(yield* this.withBraces(word)));
      }
    }
    yield* this.skip(false);
    this.take(";");
    return { kind, name, words, body: yield* this.#loopBody(), redirects: yield* this.redirects() };
  }

  /** for ((first; test; next)) */
  *#counting(): Steps<Command> {
    const { line } = this.reader;
    const end = yield* this.reader.endOfDouble(this.reader.at + 2);
    if (end === undefined) throw this.unexpected();
    const bounds = [this.reader.at + 1];
    for (let at = bounds[0] ?? 0; at < end && bounds.length < 3; at += 1) if (this.text[at] === ";") bounds.push(at);
    if (bounds.length < 3) throw new ShellSyntaxError("Syntax error: Bad for loop variable", line);
    const first = yield* this.#expression(2, bounds[1] ?? end);
    const test = yield* this.#expression(1, bounds[2] ?? end);
    const next = yield* this.#expression(1, end);
    this.reader.at = end + 2;
    yield* this.skip(false);
    this.take(";");
    const body = yield* this.#loopBody();
    return { kind: "counting", first, test, next, line, body, redirects: yield* this.redirects() };
  }

  *#case(): Steps<Command> {
    yield* this.expect("case");
    yield* this.skip(false);
    const subject = yield* this.reader.word();
    if (subject === undefined) throw this.unexpected();
    yield* this.skip(true);
    if (plainText(yield* this.reader.word()) !== "in") throw this.unexpected('"in"');
    const branches: CaseBranch[] = [];
    for (yield* this.skip(true); !(yield* this.takeKeyword("esac")); yield* this.skip(true)) {
      this.take("(");
      const patterns: Word[] = [];
      do {
        yield* this.skip(false);
        const pattern = yield* this.reader.word();
        if (pattern === undefined) throw this.unexpected('")"');
        patterns.push(pattern);
        yield* this.skip(false);
      } while (this.take("|"));
      if (!this.take(")")) throw this.unexpected('")"');
      const body = yield* this.#list(true);
      yield* this.skip(true);
      const next = this.take(";;&") ? "patterns" : this.take(";&") ? "body" : "end";
      branches.push({ patterns, body, next });
      if (next === "end" && !this.take(";;")) {
        yield* this.expect("esac");
        break;
      }
    }
    return { kind: "case", subject, branches, redirects: yield* this.redirects() };
  }

  *#body(): Steps<Command> {
    yield* this.expect("do");
    const body = yield* this.#list(true);
    yield* this.expect("done");
    return body;
  }

  /** The body of a for loop, which bash takes in braces as well. */
  *#loopBody(): Steps<Command> {
    if (!(yield* this.takeKeyword("{"))) return yield* this.#body();
    const body = yield* this.#list(true);
    yield* this.expect("}");
    return body;
  }

  *#simple(): Steps<SimpleCommand> {
    const { line } = this.reader;
    const assignments: Assignment[] = [];
    const declarations: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      yield* this.skip(false);
      const redirect = yield* this.redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      if (this.aliases.areThere) {
        const isDue = this.aliases.isDueAt(this.reader.at);
        if ((isDue || words.length === 0) && (yield* this.expandAliases())) continue;
      }
      const isDeclaring = words.length > 0 && DECLARING.has(plainText(words[0]) ?? "");
      const assignment =
        words.length === 0 || isDeclaring ? yield* parseAssignment({ ...this.source, reader: this.reader }) : undefined;
      if (assignment !== undefined) {
        (isDeclaring ? declarations : assignments).push(assignment);
        continue;
      }
      const word = yield* this.reader.word();
      if (word === undefined) break;
      words.push(...(yield* this.withBraces(word)));
    }
    if (assignments.length + words.length + redirects.length === 0) throw this.unexpected();
    return { kind: "simple", line, assignments, words, declarations, redirects };
  }

  #atListEnd(): boolean {
    const char = this.text[this.reader.at];
    if (char === undefined || char === ")" || char === ";") return true;
    return ["then", "elif", "else", "fi", "do", "done", "esac", "}"].includes(this.keyword() ?? "");
  }
}

function listOf(commands: readonly Command[]): Command {
  const [only] = commands;
  return commands.length === 1 && only !== undefined ? only : { kind: "list", commands };
}

/** A stage of a pipeline whose stderr goes on as well (|&), behind its own redirections. */
function withErrors(stage: Command | undefined): Command {
  const redirect: Redirect = {
    descriptor: 2,
    operator: ">&",
    target: [{ kind: "text", text: "1", quoted: false }],
  };
  if (stage !== undefined && "redirects" in stage) return { ...stage, redirects: [...stage.redirects, redirect] };
  return { kind: "group", body: stage ?? { kind: "list", commands: [] }, redirects: [redirect] };
}

/** The text of a word that consists of one unquoted text; undefined for any other word. */
export function plainText(word: Word | undefined): string | undefined {
  const [only] = word ?? [];
  return word?.length === 1 && only?.kind === "text" && !only.quoted ? only.text : undefined;
}
