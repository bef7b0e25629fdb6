/** One clause of an Accept header, or a Content-Type. Names are lower case. */
export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

export function parseMediaType(text: string): MediaType {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const part of rest) {
    const equals = part.indexOf("=");
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    const value =
      equals < 0
        ? ""
        : part
            .slice(equals + 1)
            .trim()
            .replace(/^"(.*)"$/, "$1");
    if (name === "q") quality = Number(value);
    else parameters.set(name, value);
  }
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

/** Parses the clauses of an Accept header and sorts them by preference: equal ones keep their order, wildcards come after named types. */
export function parseAccept(header = ""): readonly MediaType[] {
  let clauses = parsed.get(header);
  if (clauses === undefined) {
    clauses = clausesOf(header);
    if (parsed.size >= REMEMBERED) parsed.clear();
    if (header.length <= REMEMBERED_LENGTH) parsed.set(header, clauses);
  }
  return clauses;
}

/** A client sends the same header with every request. */
const parsed = new Map<string, readonly MediaType[]>();
const REMEMBERED = 100;
const REMEMBERED_LENGTH = 1000;

function clausesOf(header: string): readonly MediaType[] {
  const clauses = header.split(",").filter((clause) => clause.trim() !== "");
  if (clauses.length === 0) return [parseMediaType("*/*")];
  return clauses
    .map(parseMediaType)
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

const wildcards = ({ type }: MediaType): number => type.split("*").length - 1;
