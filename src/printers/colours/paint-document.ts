/** The colours for the parts of a document. */
export interface DocumentTheme {
  readonly key: (text: string) => string;
  /** Numbers, true and false. */
  readonly value: (text: string) => string;
  readonly nothing: (text: string) => string;
}

const NUMBER = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
const WHOLE_NUMBER = new RegExp(`^${NUMBER}$`);

function scalar(text: string, { value, nothing }: DocumentTheme): string {
  if (text === "true" || text === "false" || WHOLE_NUMBER.test(text)) return value(text);
  return text === "null" ? nothing(text) : text;
}

const JSON_TOKENS = new RegExp(`("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|\\b(?:true|false|null)\\b|${NUMBER}`, "g");

/** Colours printed JSON: indented, or one object per line. */
export function paintJson(text: string, theme: DocumentTheme): string {
  return text.replace(JSON_TOKENS, (token: string, string: string | undefined, colon: string | undefined) => {
    if (string === undefined) return scalar(token, theme);
    return colon === undefined ? token : theme.key(string) + colon;
  });
}

const KYAML_KEY = /^([\s[{]*)([A-Za-z_][\w./-]*)(?=:(?: |$))/;

/** Colours KYAML, which is JSON with unquoted keys. */
export function paintKyaml(text: string, theme: DocumentTheme): string {
  return text
    .split("\n")
    .map((line) => {
      const [head = "", lead = "", key = ""] = KYAML_KEY.exec(line) ?? [];
      return (key === "" ? "" : lead + theme.key(key)) + paintJson(line.slice(head.length), theme);
    })
    .join("\n");
}

const LEAD = /^(?: *- )* */;
const KEY = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'\s].*?):(?=\s|$)/;
const BLOCK = /^[|>][-+\d]*$/;
const ENDS_QUOTE = { "'": /^(?:[^']|'')*'$/, '"': /^(?:[^"\\]|\\.)*"$/ } as const;

/** Colours YAML from our own emitter: a key or an item per line; the lines of a multi-line scalar stay plain. */
export function paintYaml(text: string, theme: DocumentTheme): string {
  let quote: keyof typeof ENDS_QUOTE | undefined;
  /** The column of the key or dash above a block of text. */
  let block: number | undefined;
  return text
    .split("\n")
    .map((line) => {
      if (quote !== undefined) {
        if (ENDS_QUOTE[quote].test(line)) quote = undefined;
        return line;
      }
      if (block !== undefined) {
        if (line === "" || line.search(/[^ ]/) > block) return line;
        block = undefined;
      }
      const lead = LEAD.exec(line)?.[0] ?? "";
      const key = KEY.exec(line.slice(lead.length))?.[0] ?? "";
      const value = line.slice(lead.length + key.length).trimStart();
      if (BLOCK.test(value)) block = key === "" ? lead.lastIndexOf("-") : lead.length;
      const first = value[0];
      if ((first === "'" || first === '"') && !ENDS_QUOTE[first].test(value.slice(1))) quote = first;
      const room = line.slice(lead.length + key.length, line.length - value.length);
      return lead + (key === "" ? "" : `${theme.key(key.slice(0, -1))}:`) + room + scalar(value, theme);
    })
    .join("\n");
}
