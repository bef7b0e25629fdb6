/** Lines of cells as columns of text. A line of one cell is a heading and does not widen the first column. */
export function tableText(lines) {
  const columns = Math.max(...lines.map((line) => line.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...lines.map((line) => (line.length > 1 ? line[column].length : 0))),
  );
  const text = (line) => line.map((cell, column) => cell.padEnd(widths[column])).join("  ");
  return lines.map((line) => `${text(line).trimEnd()}\n`).join("");
}
