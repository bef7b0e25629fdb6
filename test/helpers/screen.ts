const ESCAPE = "\u001b";
const TOKEN = new RegExp(`${ESCAPE}\\[(\\d*)([A-Za-z])|[^]`, "gu");

/** What a terminal of so many columns shows of the bytes that it is sent: the sequences that line editors write, and no others. */
export class Screen {
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(private readonly columns: number) {}

  write(text: string): void {
    // A terminal wraps when the next character comes.
    for (const [token] of text.matchAll(TOKEN)) {
      if (token.startsWith(`${ESCAPE}[`)) this.#sequence(token.at(-1) ?? "", Number(token.slice(2, -1) || 1));
      else this.#character(token);
    }
  }

  /** The rows without blanks at their ends, and | where the cursor is. */
  get text(): string {
    return this.#rows
      .map((row, index) => {
        const line = Array.from(row, (cell) => cell ?? " ");
        if (index !== this.#row) return line.join("").trimEnd();
        while (line.length < this.#column) line.push(" ");
        const [before, behind] = [line.slice(0, this.#column), line.slice(this.#column)];
        return `${before.join("")}|${behind.join("").trimEnd()}`;
      })
      .join("\n");
  }

  #character(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#down(1);
    else if (character === "\b") this.#column = Math.max(0, this.#column - 1);
    else if (character !== "\u0007") {
      if (this.#column >= this.columns) {
        this.#down(1);
        this.#column = 0;
      }
      (this.#rows[this.#row] ?? [])[this.#column] = character;
      this.#column += 1;
    }
  }

  #sequence(letter: string, count: number): void {
    if (letter === "A") this.#row -= count;
    else if (letter === "B") this.#down(count);
    else if (letter === "C") this.#column += count;
    else if (letter === "D") this.#column -= count;
    else if (letter === "H") [this.#row, this.#column] = [0, 0];
    else if (letter === "J") {
      this.#rows.length = this.#row + 1;
      (this.#rows[this.#row] ?? []).length = Math.min(this.#column, this.#rows[this.#row]?.length ?? 0);
    } else throw new Error(`the screen does not know ${letter}`);
    if (this.#row < 0 || this.#column < 0 || this.#column > this.columns) throw new Error("the cursor left the screen");
  }

  #down(count: number): void {
    this.#row += count;
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }
}
