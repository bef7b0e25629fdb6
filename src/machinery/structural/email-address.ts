/**
 * Whether a text is one address as mail headers have it: "ann@example.com", "Ann <ann@example.com>", with quoted names and comments.
 * Source: Go's net/mail.ParseAddress (RFC 5322, and RFC 6532 for what is not ASCII).
 */
export function isEmailAddress(text: string): boolean {
  const reader = new AddressReader(text);
  return reader.address() && reader.isAtEnd();
}

const SPECIAL = '()<>[]:;@\\,."\x7f';

class AddressReader {
  #at = 0;

  constructor(readonly text: string) {}

  /** A bare address, or a name and one in angle brackets. */
  address(): boolean {
    this.#skip();
    const start = this.#at;
    if (this.#bareAddress()) return this.#skip();
    this.#at = start;
    if (!this.#take("<") && !(this.#phrase() && this.#take("<"))) return false;
    return this.#bareAddress() && this.#take(">") && this.#skip();
  }

  isAtEnd(): boolean {
    return this.#at === this.text.length;
  }

  #bareAddress(): boolean {
    this.#skipSpace();
    const hasLocal = this.text[this.#at] === '"' ? this.#quoted(true) : this.#dotAtom();
    if (!hasLocal || !this.#take("@")) return false;
    this.#skipSpace();
    return this.text[this.#at] === "[" ? this.#literal() : this.#dotAtom();
  }

  #dotAtom(): boolean {
    do {
      if (!this.#atom(false)) return false;
    } while (this.#take("."));
    return true;
  }

  /** In a name dots are let pass. */
  #atom(dots: boolean): boolean {
    const start = this.#at;
    for (let char = this.text[this.#at]; char !== undefined; char = this.text[this.#at]) {
      if ((char <= " " || SPECIAL.includes(char)) && !(dots && char === ".")) break;
      this.#at += 1;
    }
    return this.#at > start;
  }

  /** Words before an address in angle brackets. */
  #phrase(): boolean {
    let words = 0;
    for (;;) {
      this.#skip();
      if (!(this.text[this.#at] === '"' ? this.#quoted(false) : this.#atom(true))) break;
      words += 1;
    }
    return words > 0;
  }

  #quoted(mustHold: boolean): boolean {
    for (let at = this.#at + 1; at < this.text.length; at++) {
      const char = this.text[at] ?? "";
      if (char === '"') {
        if (mustHold && at === this.#at + 1) return false;
        this.#at = at + 1;
        return true;
      }
      if (char === "\\") at += 1;
      else if ((char < " " && char !== "\t") || char === "\x7f") return false;
    }
    return false;
  }

  /** "[192.0.2.1]": what is between is an address, of IPv6 with a tag before it. */
  #literal(): boolean {
    const found = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[0-9a-fA-F:.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)\]/i.exec(
      this.text.slice(this.#at),
    );
    this.#at += found?.[0].length ?? 0;
    return found !== null;
  }

  #take(char: string): boolean {
    if (this.text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (this.text[this.#at] === " " || this.text[this.#at] === "\t") this.#at += 1;
  }

  /** White space and comments; true, so that it can end a chain. */
  #skip(): true {
    this.#skipSpace();
    while (this.text[this.#at] === "(" && this.#comment()) this.#skipSpace();
    return true;
  }

  #comment(): boolean {
    let depth = 0;
    for (let at = this.#at; at < this.text.length; at++) {
      const char = this.text[at];
      if (char === "\\") at += 1;
      else if (char === "(") depth += 1;
      else if (char === ")") depth -= 1;
      if (depth > 0) continue;
      this.#at = at + 1;
      return true;
    }
    return false;
  }
}
