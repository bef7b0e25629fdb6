/**
 * The texts of `Warning` headers (RFC 7234 section 5.5) with code 299, which are for people. A malformed header is read up
 * to the error.
 */
export function warningTexts(header: string | readonly string[] | undefined): readonly string[] {
  const texts: string[] = [];
  for (const value of typeof header === "string" ? [header] : (header ?? [])) {
    let rest = value.trim();
    while (rest !== "") {
      const match = /^(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?: ?"[^"]*")?\s*(?:,\s*|$)/.exec(rest);
      if (!match) break;
      const [whole, code, , quoted = ""] = match;
      const text = fromBytes(quoted.replaceAll(/\\(.)/g, "$1"));
      if (code === "299" && text !== "" && !/\p{Cc}/u.test(text)) texts.push(text);
      rest = rest.slice(whole.length).trim();
    }
  }
  return texts;
}

/** Decodes header bytes as UTF-8, which servers send. Node decodes them as Latin-1. */
function fromBytes(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  return bytes.toString("latin1") === text ? bytes.toString("utf8") : text;
}
