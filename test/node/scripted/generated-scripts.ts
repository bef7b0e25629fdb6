import type { Random } from "../../../src/base/numbers/random.js";

/** The longest script, in bytes. */
const LONGEST = 4096;
const DEEPEST = 5;

const ATOMS = [
  "a",
  "b",
  "0",
  "1",
  "x",
  "é",
  "😀",
  "-",
  ".",
  "/",
  "*",
  "?",
  "[a-c]",
  "[!0]",
  "[[:digit:]]",
  "[",
  "]",
  "~",
  "%",
];
const NAMES = ["x", "y", "z", "i", "HOME", "PATH", "1", "#", "@", "*", "?", "$", "!", "-"];
const EDGES = ["%", "%%", "#", "##"];
const GIVEN = [":-", "-", ":=", ":+", "+", ":?"];
const CASES = ["^", "^^", ",", ",,"];
const REPLACING = ["/", "//", "/#", "/%"];
const FORMATS = [
  "%s",
  "%d",
  "%5d",
  "%-9s",
  "%03000d",
  "%0999999999d",
  "%x",
  "%c",
  "%b",
  "%.2s",
  "\\n",
  "\\060",
  "%%",
  "%",
  "\\",
];
const PROGRAMS = [
  "echo",
  "printf",
  "cat",
  "head -n 3",
  "head -c 100k",
  "tail -n 5",
  "tail -c 9",
  "wc",
  "grep",
  "grep -F",
  "seq",
  "ls",
  "ls -l",
  "rm -rf",
  "mkdir -p",
  "touch",
  "cp -r",
  "mv",
  "ln -s",
  "test",
  "[",
  "sleep",
  "yes",
  "tee",
  "basename",
  "sha256sum",
  "env",
  "sh -c",
  "eval",
  "set --",
  "read",
  "export",
  "unset",
  "shift",
  "cd",
  "trap",
  "kill -TERM",
  "wait",
  "exit",
  "break",
  "continue",
  "nope",
  "f",
  "g",
  "return",
  "local",
  "declare",
  "declare -A",
  "readonly",
  "printf -v x %s%s%q",
  "read -ra a",
  "mapfile -t a",
  "getopts ab:c",
  "set -u",
  "set -x",
  "set -euo pipefail",
  "set -f",
  "shopt -s nullglob",
  "type",
  "command -v",
  "let",
  "wait -n",
  "kill -9 $!",
  "exec 3>/tmp/x",
  ". /tmp/x",
  "trap -",
];
const OPERATORS = [
  "**",
  "<<",
  ">>",
  "&",
  "|",
  "^",
  ",",
  "?1:",
  "+",
  "-",
  "*",
  "/",
  "%",
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "&&",
  "||",
];

/** Scripts of the shell that are mostly right, seldom end by themselves, and now and then are broken. */
export class ScriptGenerator {
  constructor(private readonly random: Random) {}

  script(): string {
    const statements = Array.from({ length: 1 + this.#below(6) }, () => this.#statement(0));
    let text = statements.join(this.#pick([";", "\n", " && ", " || ", "; "]));
    if (this.#below(12) === 0) text = this.#repeated(text);
    if (this.#below(10) === 0) text = this.#broken(text);
    return Buffer.from(text).subarray(0, LONGEST).toString("utf8");
  }

  #below(limit: number): number {
    return Buffer.from(this.random.bytes(4)).readUInt32LE() % limit;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #times(most: number, make: () => string): readonly string[] {
    return Array.from({ length: this.#below(most + 1) }, make);
  }

  /** As often as it fits. */
  #repeated(text: string): string {
    const unit = this.#pick([
      text,
      "(",
      "$((",
      "${x:-",
      "`",
      "! ",
      ": && ",
      "a\\",
      "'",
      "[",
      "*0",
      "-",
      "$x",
      "\n",
      "#\n",
    ]);
    return `${unit.repeat(Math.max(1, Math.floor(LONGEST / unit.length) - 1))}${text}`;
  }

  /** With a piece cut out, or a character put in. */
  #broken(text: string): string {
    const at = this.#below(text.length + 1);
    return `${text.slice(0, at)}${this.#pick(["", "(", ")", "'", '"', "`", "}", "$", "\0", "<<", ";;", "<<<", "[[", "]]", "((", "${", "=(", ";&"])}${text.slice(at + this.#below(4))}`;
  }

  #statement(depth: number): string {
    const inner = (): string => this.#statement(depth + 1);
    if (depth >= DEEPEST) return this.#simple(depth);
    switch (this.#below(24)) {
      case 16:
        return `${this.#pick(["f()", "g()", "function f"])} { ${inner()}; ${this.#pick(["", "f;", "f & g;", "return 3;", "local x=$x$x;"])} }; f ${this.#words(depth)}`;
      case 17:
        return `cat <<${this.#pick(["E", "'E'", "-E"])} | ${this.#simple(depth)}\n${this.#words(depth)}\n${this.#word(depth)}\nE\n`;
      case 18:
        return `while read -r x y; do ${inner()}; done <<< ${this.#word(depth)}`;
      case 19:
        return `[[ ${this.#condition(depth)} ]]`;
      case 20:
        return `for ((i = 0; ${this.#pick(["", "i < 9", "x--"])}; i++)); do ${inner()}; done`;
      case 21:
        return `((${this.#arithmetic(depth)}))`;
      case 22:
        return `${this.#pick(["a=", "a+=", "b[i++]=", "declare -A b="])}(${this.#words(depth)} [${this.#pick(["x", "1", "i", "-1"])}]=${this.#word(depth)})`;
      case 23:
        return `{ ${inner()}; } ${this.#pick(["&>", "&>>", ">&", "3>", "2>&1 3<"])} /tmp/x`;
      case 0:
        return `for i in ${this.#words(depth)}; do ${inner()}; done`;
      case 1:
        return `while ${inner()}; do ${inner()}; done`;
      case 2:
        return `if ${inner()}; then ${inner()}; else ${inner()}; fi`;
      case 3:
        return `case ${this.#word(depth)} in ${this.#pattern()}) ${inner()};; ${this.#pattern()}|*) ${inner()};; esac`;
      case 4:
        return `(${inner()})`;
      case 5:
        return `{ ${inner()}; }`;
      case 6:
        return `${this.#simple(depth)} | ${inner()}`;
      case 7:
        return `${inner()} & ${inner()}`;
      case 8:
        return `${this.#simple(depth)} > /tmp/${this.#pick(NAMES.slice(0, 4))}`;
      case 9:
      case 10:
        return `${this.#pick(["x", "y", "z"])}=${this.#word(depth)}`;
      case 11:
        return "x=$x$x$x$x";
      default:
        return this.#simple(depth);
    }
  }

  #condition(depth: number): string {
    switch (this.#below(6)) {
      case 0:
        return `${this.#word(depth)} == ${this.#pattern()}`;
      case 1:
        return `${this.#word(depth)} =~ ${this.#pick(["^(a|b)+$", "[[:digit:]]{1,9}", "(.*)*x", "$x", "[", "((((a){9}){9}){9}){9}"])}`;
      case 2:
        return `-${this.#pick(["z", "n", "f", "d", "v"])} ${this.#word(depth)}`;
      case 3:
        return depth < DEEPEST ? `(${this.#condition(depth + 1)}) && ! ${this.#condition(depth + 1)}` : "x";
      case 4:
        return `${this.#word(depth)} -lt ${this.#pick(["x", "9", "$i"])} || $x`;
      default:
        return this.#word(depth);
    }
  }

  #simple(depth: number): string {
    const program = this.#pick(PROGRAMS);
    if (program === "printf")
      return `printf '${this.#times(5, () => this.#pick(FORMATS)).join("")}' ${this.#words(depth)}`;
    if (program === "sh -c" || program === "eval") return `${program} '${this.#simple(DEEPEST).replaceAll("'", "")}'`;
    if (program === "trap")
      return `trap '${this.#simple(DEEPEST).replaceAll("'", "")}' ${this.#pick(["TERM", "EXIT"])}`;
    if (program === "kill -TERM") return "kill -TERM $$";
    if (program === "[") return `[ ${this.#words(depth)} ]`;
    return `${program} ${this.#words(depth)}`;
  }

  #words(depth: number): string {
    return this.#times(4, () => this.#word(depth)).join(" ");
  }

  #word(depth: number): string {
    const nested = depth < DEEPEST;
    switch (this.#below(17)) {
      case 12:
        return `\${${this.#pick(["x", "a[@]", "@", "a[1]"])}${this.#pick(REPLACING)}${this.#pattern()}/${this.#pick(["", "b", "$x", "&&"])}}`;
      case 13:
        return `\${${this.#pick(["x", "a[@]", "@", "*"])}:${this.#pick(["1", " -3", "x", "0:2", "2:-1", "999999999999"])}}`;
      case 14:
        return `\${${this.#pick(["!x", "!a[@]", "!x*", "#a[@]", "a[x]", "a[-1]", "b[$x]"])}${this.#pick(["", ":-y"])}}`;
      case 15:
        return `\${x${this.#pick(CASES)}}`;
      case 16:
        return this.#pick([
          "{a,b}{1..9}",
          "{1..99999999}",
          "{a,{b,c}{d,e}}",
          "$'\\x41\\n'",
          "$RANDOM",
          '"${a[@]}"',
          "$(</tmp/x)",
        ]);
      case 0:
        return `"${this.#times(3, () => this.#word(DEEPEST)).join(" ")}"`;
      case 1:
        return `'${this.#times(3, () => this.#pick(ATOMS)).join("")}'`;
      case 2:
        return `$${this.#pick(NAMES)}`;
      case 3:
        return `\${#${this.#pick(NAMES.slice(0, 4))}}`;
      case 4:
        return `\${${this.#pick(NAMES.slice(0, 6))}${this.#pick(EDGES)}${this.#pattern()}}`;
      case 5:
        return nested ? `\${${this.#pick(NAMES.slice(0, 6))}${this.#pick(GIVEN)}${this.#word(depth + 1)}}` : "$x";
      case 6:
        return nested ? `$(${this.#statement(depth + 1)})` : "$y";
      case 7:
        return `$((${this.#arithmetic(depth)}))`;
      case 8:
        return `$(printf ${this.#pick(["%03000d", "%099999d", "%s%s%s"])} 0)`;
      case 9:
        return this.#pick(["/tmp/*", "/*/*/*", "-n", "-e", "-a", "!", "=", "-lt", "8M", "/dev/zero", "/tmp/x"]);
      default:
        return this.#times(4, () => this.#pick(ATOMS)).join("") || "a";
    }
  }

  #pattern(): string {
    return (
      this.#times(8, () => this.#pick(["*", "*", "?", "0", "a", "[a-z]", "[!0]", "'*'", "\\*", '"$x"', "$y"])).join(
        "",
      ) || "*"
    );
  }

  #arithmetic(depth: number): string {
    if (this.#below(8) === 0)
      return `x ${this.#pick(["=", "+=", "<<=", "**="])} ${this.#pick(["x", "i++", "--y", "a[i]", "0x7f", "2#101"])}`;
    const operand = (): string =>
      depth < DEEPEST && this.#below(4) === 0
        ? `(${this.#arithmetic(depth + 1)})`
        : `${this.#pick(["", "-", "!", "+"])}${this.#pick(["x", "y", "0", "1", "7", "999999999999", "$x", "${#x}"])}`;
    return [operand(), ...this.#times(4, () => `${this.#pick(OPERATORS)} ${operand()}`)].join(" ");
  }
}
