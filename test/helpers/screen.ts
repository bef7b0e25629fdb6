const ESCAPE = "\u001b";
const TOKEN = new RegExp(`${ESCAPE}\\[(\\??[\\d;]*)([A-Za-z])|[^]`, "gu");

/** What a terminal of so many columns shows of the bytes that it is sent: the sequences that line editors and screens write, and no others. */
export class Screen {
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  /** What was on the screen before the alternate one, while that is shown. */
  #kept: { rows: string[][]; row: number; column: number } | undefined;
  #cursor = true;

  constructor(private columns: number) {}

  write(text: string): void {
    // A terminal wraps when the next character comes.
    for (const [token, parameters, letter] of text.matchAll(TOKEN)) {
      if (letter !== undefined) this.#sequence(letter, parameters ?? "");
      else this.#character(token);
    }
  }

  /** What is on the screen stays as it is: the program has to draw it anew. */
  resize(columns: number): void {
    this.columns = columns;
    this.#column = Math.min(this.#column, columns);
  }

  get isAlternate(): boolean {
    return this.#kept !== undefined;
  }

  get showsCursor(): boolean {
    return this.#cursor;
  }

  /** The rows without blanks at their ends, and | where the cursor is, if it is shown. */
  get text(): string {
    return this.#rows
      .map((row, index) => {
        const line = Array.from(row, (cell) => cell ?? " ");
        if (index !== this.#row || !this.#cursor) return line.join("").trimEnd();
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

  #sequence(letter: string, parameters: string): void {
    const count = Number(parameters || 1);
    if (letter === "A") this.#row -= count;
    else if (letter === "B") this.#down(count);
    else if (letter === "C") this.#column += count;
    else if (letter === "D") this.#column -= count;
    else if (letter === "H") [this.#row, this.#column] = [0, 0];
    else if (letter === "K") this.#eraseLine();
    else if (letter === "J") {
      this.#rows.length = this.#row + 1;
      this.#eraseLine();
    } else if (parameters === "?1049") this.#switch(letter === "h");
    else if (parameters === "?25") this.#cursor = letter === "h";
    // Colours take no room.
    else if (letter === "m") return;
    else throw new Error(`the screen does not know ${parameters}${letter}`);
    if (this.#row < 0 || this.#column < 0 || this.#column > this.columns) throw new Error("the cursor left the screen");
  }

  #eraseLine(): void {
    const row = this.#rows[this.#row] ?? [];
    row.length = Math.min(this.#column, row.length);
  }

  #switch(alternate: boolean): void {
    if (alternate) {
      this.#kept = { rows: this.#rows, row: this.#row, column: this.#column };
      this.#rows = [[]];
      [this.#row, this.#column] = [0, 0];
    } else if (this.#kept !== undefined) {
      ({ rows: this.#rows, row: this.#row, column: this.#column } = this.#kept);
      this.#kept = undefined;
    }
  }

  #down(count: number): void {
    this.#row += count;
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }
}
