/**
 * Makes the JSON of a body ready to stand in an event, as encoding/json does: without space between tokens, and with the characters escaped that
 * HTML gives a meaning. The text must be JSON.
 */
export const compactJson = (text: string): string => text.replace(TOKENS, compactToken);

/** A string, or space between tokens. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[\t\n\r ]+/g;

const compactToken = (token: string): string => (token.startsWith('"') ? token.replace(ESCAPED, escapeCharacter) : "");

const ESCAPED = /[<>&\u2028\u2029]/g;

const escapeCharacter = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** What the members of an object may hold on the way to managedFields. */
interface Place {
  /** The member to leave out. */
  readonly drops?: string;
  readonly members?: Readonly<Record<string, Place>>;
  /** That of each item, where the value is a list. */
  readonly items?: Place;
}

const METADATA: Place = { drops: "managedFields" };
const ITEM: Place = { members: { metadata: METADATA } };
const ROW: Place = { members: { object: ITEM } };

/** An object, a list of objects, or a table of them. */
const ANSWER: Place = { members: { metadata: METADATA, items: { items: ITEM }, rows: { items: ROW } } };

/** Leaves metadata.managedFields out of the compact JSON of an object, of the items of a list and of the objects of a table. */
export const withoutManagedFields = (text: string): string =>
  text.includes('"managedFields"') ? new MemberRemover(text).remove(ANSWER) : text;

/** Copies compact JSON but for some members. It reads the text once, and goes into no value that cannot hold one of them. */
class MemberRemover {
  #at = 0;
  #copiedTo = 0;
  #copy = "";

  constructor(private readonly text: string) {}

  remove(place: Place): string {
    this.#value(place);
    return this.#copy + this.text.slice(this.#copiedTo);
  }

  #value(place: Place): void {
    const first = this.text[this.#at];
    if (first === "{" && (place.members !== undefined || place.drops !== undefined)) this.#object(place);
    else if (first === "[" && place.items !== undefined) this.#list(place.items);
    else this.#skip();
  }

  #object({ members = {}, drops }: Place): void {
    this.#at += 1;
    let isFirst = true;
    while (this.#at < this.text.length && this.text[this.#at] !== "}") {
      if (!isFirst) this.#at += 1;
      const start = this.#at;
      this.#skip();
      const name = this.text.slice(start + 1, this.#at - 1);
      this.#at += 1;
      if (name === drops) {
        this.#skip();
        this.#drop(start, isFirst);
        // What follows takes the place of the first member.
        continue;
      }
      isFirst = false;
      const place = Object.hasOwn(members, name) ? members[name] : undefined;
      if (place === undefined) this.#skip();
      else this.#value(place);
    }
    this.#at += 1;
  }

  /** Leaves out the member that begins at `start` and ends here, with one of the commas beside it. */
  #drop(start: number, isFirst: boolean): void {
    if (!isFirst) {
      this.#copy += this.text.slice(this.#copiedTo, start - 1);
    } else {
      this.#copy += this.text.slice(this.#copiedTo, start);
      if (this.text[this.#at] === ",") this.#at += 1;
    }
    this.#copiedTo = this.#at;
  }

  #list(place: Place): void {
    this.#at += 1;
    while (this.#at < this.text.length && this.text[this.#at] !== "]") {
      if (this.text[this.#at] === ",") this.#at += 1;
      this.#value(place);
    }
    this.#at += 1;
  }

  /** Moves behind one value. */
  #skip(): void {
    let depth = 0;
    do {
      const character = this.text[this.#at];
      if (character === '"') this.#skipString();
      else if (depth === 0 && character !== "{" && character !== "[") return this.#skipScalar();
      else {
        if (character === "{" || character === "[") depth += 1;
        else if (character === "}" || character === "]") depth -= 1;
        this.#at += 1;
      }
    } while (depth > 0 && this.#at < this.text.length);
  }

  #skipString(): void {
    this.#at += 1;
    while (this.#at < this.text.length && this.text[this.#at] !== '"') this.#at += this.text[this.#at] === "\\" ? 2 : 1;
    this.#at += 1;
  }

  #skipScalar(): void {
    while (this.#at < this.text.length && !",]}".includes(this.text[this.#at] ?? "")) this.#at += 1;
  }
}
