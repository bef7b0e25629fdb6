import { dictionary } from "../../../base/collections/dictionary.js";
import { RE2JS } from "re2js";
import { ProgramFailure } from "./gnu-program.js";
import { instructionsOf, MOST_INSTRUCTIONS, MOST_STEPS } from "../limits/regexp-cost.js";

/** The longest pattern, in bytes: a longer one takes too long to compile. */
const LONGEST_PATTERN = 2048;
/** RE2 repeats nothing more often. */
const MOST_REPEATS = 1000;

/** Thrown for a pattern with an error; the message is that of regcomp(). */
export class RegexpError extends Error {}

export interface RegexpSyntax {
  /** Extended syntax: "(a|b)+" and not "\(a\|b\)\+". */
  readonly extended: boolean;
  readonly ignoreCase?: boolean;
  /** "^" and "$" are at each line of a text. */
  readonly multiline?: boolean;
  /** In brackets a backslash escapes, as awk has it. */
  readonly escapesInBrackets?: boolean;
  /** An operator that cannot be one is a character, as awk and grep have it. */
  readonly lenient?: boolean;
}

/** The beginnings and ends of a match and of its groups, as pairs of offsets; -1 for a group that does not take part. */
export type Match = readonly number[];

/** A POSIX pattern over strings of bytes. Its time grows with the length of the text, whatever the pattern: it never backtracks. */
export interface PosixRegexp {
  readonly groups: number;
  /** The leftmost longest match at `from` or later. */
  exec(text: string, from?: number): Match | undefined;
}

/** Throws a {@link RegexpError}. */
export function posixRegexp(pattern: string, syntax: RegexpSyntax): PosixRegexp {
  if (pattern.length > LONGEST_PATTERN) throw new RegexpError("Regular expression too big");
  const translation = new Translator(pattern, syntax).translate();
  const { literal, simple, groups } = translation;
  if (literal !== undefined && literal !== "" && syntax.ignoreCase !== true) return literalRegexp(literal);
  if (simple) return simpleRegexp(new RegExp(translation.source, `g${syntax.ignoreCase === true ? "i" : ""}`));
  const flags =
    RE2JS.LONGEST_MATCH |
    RE2JS.DOTALL |
    (syntax.ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0) |
    (syntax.multiline === true ? RE2JS.MULTILINE : 0);
  return re2Regexp(translation.source, groups, flags);
}

/** Compiles a pattern in Perl's syntax, without lookahead and lookbehind. Throws a {@link RegexpError}. */
export function perlRegexp(pattern: string, ignoreCase: boolean): PosixRegexp {
  if (pattern.length > LONGEST_PATTERN || instructionsOf(pattern) > MOST_INSTRUCTIONS)
    throw new RegexpError("Regular expression too big");
  return re2Regexp(pattern, 0, RE2JS.DOTALL | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
}

function literalRegexp(literal: string): PosixRegexp {
  return {
    groups: 0,
    exec(text, from = 0) {
      const at = text.indexOf(literal, from);
      return at < 0 ? undefined : [at, at + literal.length];
    },
  };
}

/** JavaScript's own engine tries each place of the text once for a simple pattern. */
function simpleRegexp(regexp: RegExp): PosixRegexp {
  return {
    groups: 0,
    exec(text, from = 0) {
      regexp.lastIndex = from;
      const found = regexp.exec(text);
      return found === null ? undefined : [found.index, found.index + found[0].length];
    },
  };
}

function re2Regexp(source: string, groups: number, flags: number): PosixRegexp {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, flags);
  } catch (error) {
    throw new RegexpError((error as Error).message, { cause: error });
  }
  const longest = MOST_STEPS / compiled.programSize();
  let text = "";
  let matcher = compiled.matcher(text);
  return {
    groups,
    exec(wanted, from = 0) {
      if (wanted.length - from > longest) throw new ProgramFailure("line too long for the regular expression", 2);
      if (wanted !== text) matcher = compiled.matcher((text = wanted));
      if (from > text.length || !matcher.find(from)) return undefined;
      const match: number[] = [];
      for (let group = 0; group <= groups; group += 1) match.push(matcher.start(group), matcher.end(group));
      return match;
    },
  };
}

interface Translation {
  /** In RE2's syntax, which is JavaScript's where the pattern is simple. */
  readonly source: string;
  readonly groups: number;
  /** The text that the pattern is, without anything special. */
  readonly literal: string | undefined;
  /** One character after the other, of which only the last one may be repeated: no engine takes long for it. */
  readonly simple: boolean;
}

const CLASSES: Readonly<Record<string, string>> = dictionary({
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\t-\\r ",
  blank: "\\t ",
  punct: "!-\\/:-@\\[-`{-~",
  print: " -~",
  graph: "!-~",
  cntrl: "\\x00-\\x1f\\x7f",
  xdigit: "0-9A-Fa-f",
});

/** What stands behind a backslash for a set of characters or a place. */
const ESCAPES: Readonly<Record<string, string>> = dictionary({
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  s: "[\\t-\\r ]",
  S: "[^\\t-\\r ]",
  // RE2 looks neither ahead nor behind: a word's beginning and its end are both its edge.
  "<": "\\b",
  ">": "\\b",
  b: "\\b",
  B: "\\B",
  "`": "\\A",
  "'": "\\z",
});
const PLACES = "<>bB`'";

const hex = (char: string): string => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
const quoted = (char: string): string => (/[0-9A-Za-z_ ]/.test(char) ? char : hex(char));

/** Reads a basic or an extended pattern. */
class Translator {
  #at = 0;
  #groups = 0;
  #open = 0;
  #literal: string | undefined = "";
  #simple = true;
  #isRepeated = false;

  constructor(
    private readonly pattern: string,
    private readonly syntax: RegexpSyntax,
  ) {}

  translate(): Translation {
    const { source } = this.#alternatives();
    if (this.#at < this.pattern.length) throw new RegexpError("Unmatched ) or \\)");
    return { source, groups: this.#groups, literal: this.#literal, simple: this.#simple };
  }

  /** Whether the pattern goes on with an operator: a character of extended syntax, one with a backslash of basic syntax. */
  #sees(operator: string, at = this.#at): boolean {
    return this.syntax.extended
      ? this.pattern[at] === operator
      : this.pattern[at] === "\\" && this.pattern[at + 1] === operator;
  }

  #take(operator: string): boolean {
    if (!this.#sees(operator)) return false;
    this.#at += this.syntax.extended ? 1 : 2;
    return true;
  }

  #alternatives(): { readonly source: string; readonly size: number } {
    const first = this.#sequence();
    let { source, size } = first;
    while (this.#take("|")) {
      this.#special();
      const next = this.#sequence();
      source += `|${next.source}`;
      size += next.size + 1;
    }
    return { source, size };
  }

  #sequence(): { readonly source: string; readonly size: number } {
    let source = "";
    let size = 0;
    let isFirst = true;
    while (this.#at < this.pattern.length && !this.#sees("|") && !(this.#sees(")") && this.#open > 0)) {
      const atom = this.#atom(isFirst);
      const repeated = this.#repetitions(atom.source, atom.size, atom.isPlace);
      source += repeated.source;
      if ((size += repeated.size) > MOST_INSTRUCTIONS) throw new RegexpError("Regular expression too big");
      isFirst = isFirst && atom.isStart;
    }
    return { source, size };
  }

  /** More than characters one after the other. */
  #special(): void {
    this.#simple = false;
    this.#literal = undefined;
  }

  #atom(isFirst: boolean): {
    readonly source: string;
    readonly size: number;
    readonly isPlace: boolean;
    readonly isStart: boolean;
  } {
    const { pattern, syntax } = this;
    const character = (source: string, char?: string) => {
      if (this.#isRepeated) this.#special();
      if (char === undefined) this.#literal = undefined;
      else if (this.#literal !== undefined) this.#literal += char;
      return { source, size: 1, isPlace: false, isStart: false };
    };
    const place = (source: string, isStart = false) => {
      this.#literal = undefined;
      return { source, size: 1, isPlace: true, isStart };
    };
    if (this.#take("(")) {
      this.#special();
      this.#groups += 1;
      this.#open += 1;
      const inner = this.#alternatives();
      if (!this.#take(")")) throw new RegexpError("Unmatched ( or \\(");
      this.#open -= 1;
      return { source: `(${inner.source})`, size: inner.size + 2, isPlace: false, isStart: false };
    }
    if (this.#sees(")") && !this.#isLenient) throw new RegexpError("Unmatched ) or \\)");
    const char = pattern[this.#at] ?? "";
    this.#at += 1;
    switch (char) {
      case ".":
        return character("[\\x00-\\xff]");
      case "[":
        return character(this.#brackets());
      case "^":
        if (!syntax.extended && !isFirst) return character(quoted(char), char);
        if (this.#at > 1 || syntax.multiline === true) this.#special();
        return place("^", true);
      case "$":
        if (!syntax.extended && !this.#isAtEnd()) return character(quoted(char), char);
        // JavaScript would try a repetition from each place again.
        if (this.#isRepeated || this.#at < pattern.length || syntax.multiline === true) this.#special();
        return place("$");
      case "\\":
        return this.#escape(character, place);
      case "*":
        if (syntax.extended && !isFirst) break;
        if (isFirst && !syntax.extended) return character(quoted(char), char);
        break;
      default:
        if (!syntax.extended || !"+?{".includes(char)) return character(quoted(char), char);
    }
    if (this.#isLenient) return character(quoted(char), char);
    throw new RegexpError("Invalid preceding regular expression");
  }

  #isAtEnd(): boolean {
    return this.#at === this.pattern.length || this.#sees("|") || (this.#sees(")") && this.#open > 0);
  }

  #escape<T>(character: (source: string, char?: string) => T, place: (source: string) => T): T {
    const char = this.pattern[this.#at];
    if (char === undefined) throw new RegexpError("Trailing backslash");
    this.#at += 1;
    if (/[1-9]/.test(char)) {
      if (Number(char) > this.#groups) throw new RegexpError("Invalid back reference");
      throw new RegexpError("back-references in a pattern are not supported");
    }
    if (PLACES.includes(char)) {
      this.#special();
      return place(ESCAPES[char] ?? "");
    }
    const set = ESCAPES[char];
    return set === undefined ? character(quoted(char), char) : character(set);
  }

  #repetitions(atom: string, atomSize: number, isPlace: boolean): { readonly source: string; readonly size: number } {
    let source = atom;
    let size = atomSize;
    for (let times = 0; ; times += 1) {
      const repeat = this.#repetition(isPlace);
      if (repeat === undefined) return { source, size };
      if (times > 0 || isPlace) source = `(?:${source})`;
      if (times > 0 || isPlace || repeat.source.startsWith("{") || this.#isRepeated) this.#special();
      this.#literal = undefined;
      this.#isRepeated = true;
      source += repeat.source;
      if ((size *= Math.max(1, repeat.times)) > MOST_INSTRUCTIONS) throw new RegexpError("Regular expression too big");
    }
  }

  #repetition(isPlace: boolean): { readonly source: string; readonly times: number } | undefined {
    if (this.pattern[this.#at] === "*") {
      // Behind "^" of basic syntax it is a character.
      if (isPlace && !this.syntax.extended) return undefined;
      this.#at += 1;
      return { source: "*", times: 1 };
    }
    for (const operator of ["+", "?"]) if (this.#take(operator)) return { source: operator, times: 1 };
    if (!this.#sees("{") || (this.#isLenient && !this.#seesInterval())) return undefined;
    return this.#interval();
  }

  get #isLenient(): boolean {
    return this.syntax.extended && this.syntax.lenient === true;
  }

  #seesInterval(): boolean {
    const interval = /\{\d*(?:,\d*)?\}/y;
    interval.lastIndex = this.#at;
    return /\d/.test(interval.exec(this.pattern)?.[0] ?? "");
  }

  #interval(): { readonly source: string; readonly times: number } {
    const interval = this.syntax.extended ? /\{(\d*)(,?)(\d*)/y : /\\\{(\d*)(,?)(\d*)/y;
    interval.lastIndex = this.#at;
    const [whole = "", least = "", comma = "", most = ""] = interval.exec(this.pattern) ?? [];
    this.#at += whole.length;
    if (this.#at >= this.pattern.length) throw new RegexpError("Unmatched \\{");
    if (!this.#take("}") || (least === "" && comma === "")) throw new RegexpError("Invalid content of \\{\\}");
    const [from, to] = [Number(least), comma === "" ? Number(least) : most === "" ? Infinity : Number(most)];
    if (from > to) throw new RegexpError("Invalid content of \\{\\}");
    const times = to === Infinity ? Math.max(1, from) : to;
    if (times > MOST_REPEATS) throw new RegexpError("Regular expression too big");
    return { source: `{${from}${to === Infinity ? "," : to === from ? "" : `,${to}`}}`, times };
  }

  /** What stands in brackets, from behind the first one on. */
  #brackets(): string {
    const { pattern } = this;
    const unmatched = (): RegexpError => new RegexpError("Unmatched [, [^, [:, [., or [=");
    const negated = pattern[this.#at] === "^";
    if (negated) this.#at += 1;
    let set = "";
    for (let isFirst = true; ; isFirst = false) {
      const char = pattern[this.#at];
      if (char === undefined) throw isFirst ? new RegexpError("Invalid regular expression") : unmatched();
      if (char === "]" && !isFirst) break;
      if (char === "[" && pattern[this.#at + 1] === ":") {
        const end = pattern.indexOf(":]", this.#at + 2);
        if (end < 0) throw unmatched();
        const members = CLASSES[pattern.slice(this.#at + 2, end)];
        if (members === undefined) throw new RegexpError("Invalid character class name");
        set += members;
        this.#at = end + 2;
        continue;
      }
      const first = this.#bracketChar(unmatched);
      if (pattern[this.#at] !== "-" || (pattern[this.#at + 1] ?? "]") === "]") {
        set += hex(first);
        continue;
      }
      this.#at += 1;
      const last = this.#bracketChar(unmatched);
      if (first > last) throw new RegexpError("Invalid range end");
      set += `${hex(first)}-${hex(last)}`;
    }
    this.#at += 1;
    return `[${negated ? "^" : ""}${set}]`;
  }

  #bracketChar(unmatched: () => RegexpError): string {
    const { pattern, syntax } = this;
    const char = pattern[this.#at] ?? "";
    const kind = pattern[this.#at + 1] ?? "";
    if (char === "[" && (kind === "." || kind === "=")) {
      const end = pattern.indexOf(`${kind}]`, this.#at + 3);
      if (end < 0) throw unmatched();
      if (end !== this.#at + 3) throw new RegexpError("Invalid collation character");
      this.#at = end + 2;
      return pattern[end - 1] ?? "";
    }
    const escaped = char === "\\" && syntax.escapesInBrackets === true && this.#at + 1 < pattern.length;
    this.#at += escaped ? 2 : 1;
    return escaped ? kind : char;
  }
}
