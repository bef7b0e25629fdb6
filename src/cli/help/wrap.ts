/** Wraps text at spaces to lines of at most `width`, unless a word is longer. Existing line breaks stay. */
export function wrapText(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, width))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<= )(?=\S)/)) {
    if (current !== "" && current.length + word.trimEnd().length > width) {
      lines.push(current.trimEnd());
      current = "";
    }
    current += word;
  }
  lines.push(current.trimEnd());
  return lines.join("\n");
}
