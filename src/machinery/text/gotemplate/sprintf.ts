import { formatValue } from "./format-value.js";
import type { Spec } from "./format-verbs.js";
import { type GoValue, typeName, unboxed } from "./values.js";

/** As Go's fmt.Sprintf; what does not fit shows in the text, as `%!d(string=x)`, `%!s(MISSING)`, `%!(EXTRA int=1)`. */
export function sprintf(format: string, values: readonly GoValue[]): string {
  return new Formatting(format, values).run();
}

class Formatting {
  readonly #format: string;
  readonly #values: readonly GoValue[];
  #at = 0;
  /** The value that comes next. */
  #next = 0;
  /** Values were named by number, so that one left over is nothing to complain about. */
  #reordered = false;
  #goodIndex = true;

  constructor(format: string, values: readonly GoValue[]) {
    this.#format = format;
    this.#values = values;
  }

  run(): string {
    let text = "";
    for (;;) {
      const percent = this.#format.indexOf("%", this.#at);
      if (percent === -1) break;
      text += this.#format.slice(this.#at, percent);
      this.#at = percent + 1;
      text += this.#directive();
    }
    return text + this.#format.slice(this.#at) + this.#extra();
  }

  #directive(): string {
    this.#goodIndex = true;
    let text = "";
    let flags = this.#take(/[+\-# 0]*/y);
    let afterIndex = this.#argumentIndex();
    let width: number | undefined;
    if (this.#take(/\*/y) !== "") {
      width = this.#starred();
      if (width === undefined) text += "%!(BADWIDTH)";
      else if (width < 0) [width, flags] = [-width, `${flags}-`];
      afterIndex = false;
    } else {
      width = this.#number();
      if (afterIndex && width !== undefined) this.#goodIndex = false;
    }
    let precision: number | undefined;
    if (this.#take(/\./y) !== "") {
      if (afterIndex) this.#goodIndex = false;
      afterIndex = this.#argumentIndex();
      if (this.#take(/\*/y) !== "") {
        const given = this.#starred();
        precision = given !== undefined && given < 0 ? undefined : given;
        if (precision === undefined) text += "%!(BADPREC)";
        afterIndex = false;
      } else precision = this.#number() ?? 0;
    }
    if (!afterIndex) this.#argumentIndex();
    const verb = this.#take(/[^]/uy);
    if (verb === "") return `${text}%!(NOVERB)`;
    return text + this.#show({ verb, flags, width, precision });
  }

  #show(spec: Spec): string {
    if (spec.verb === "%") return "%";
    if (!this.#goodIndex) return `%!${spec.verb}(BADINDEX)`;
    const value = this.#values[this.#next];
    if (value === undefined) return `%!${spec.verb}(MISSING)`;
    this.#next += 1;
    return formatValue(value, spec);
  }

  /** `[n]`: which value is meant next. True when there was one, good or not. */
  #argumentIndex(): boolean {
    if (this.#format[this.#at] !== "[") return false;
    this.#reordered = true;
    const close = this.#format.indexOf("]", this.#at);
    const index = close === -1 ? undefined : /^[0-9]+$/.exec(this.#format.slice(this.#at + 1, close))?.[0];
    this.#at = close === -1 ? this.#at + 1 : close + 1;
    const position = Number(index ?? 0) - 1;
    if (position >= 0 && position < this.#values.length) this.#next = position;
    else this.#goodIndex = false;
    return close !== -1;
  }

  /** A width or precision from the values. */
  #starred(): number | undefined {
    const value = this.#values[this.#next];
    if (value === undefined) return undefined;
    this.#next += 1;
    const held = unboxed(value);
    const isInteger = held.kind === "int" || held.kind === "int64" || held.kind === "uint8";
    return isInteger && held.value >= -1_000_000n && held.value <= 1_000_000n ? Number(held.value) : undefined;
  }

  #number(): number | undefined {
    const digits = this.#take(/[0-9]*/y);
    return digits === "" ? undefined : Number(digits);
  }

  /** What a sticky pattern matches here. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#format)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #extra(): string {
    if (this.#reordered || this.#next >= this.#values.length) return "";
    const shown = this.#values.slice(this.#next).map((value) => {
      const held = unboxed(value);
      if (held.kind === "invalid") return "<nil>";
      return `${typeName(held)}=${formatValue(held, { verb: "v", flags: "", width: undefined, precision: undefined })}`;
    });
    return `%!(EXTRA ${shown.join(", ")})`;
  }
}
