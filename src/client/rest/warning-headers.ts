/**
 * The texts of `Warning` headers (RFC 7234 section 5.5) that are meant for people: code 299. A header that cannot be
 * read ends at the fault; what stood before it counts.
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

/** Node gives header bytes as Latin-1; a server sends UTF-8. */
function fromBytes(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  return bytes.toString("latin1") === text ? bytes.toString("utf8") : text;
}
