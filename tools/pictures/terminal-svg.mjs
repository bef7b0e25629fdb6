// Draws what a terminal shows as an SVG. It has the colours of a light and of a dark page, and the reader's choice between them.

const CELL = { width: 8.4, height: 19 };
const PADDING = 14;

/** The 16 colours, by the page: GitHub's own, whose contrast on its pages is known to be enough. */
const COLOURS = {
  light: [
    "24292f",
    "cf222e",
    "116329",
    "7d4e00",
    "0969da",
    "8250df",
    "1b7c83",
    "6e7781",
    "57606a",
    "a40e26",
    "1a7f37",
    "633c01",
    "218bff",
    "a475f9",
    "3192aa",
    "8c959f",
  ],
  dark: [
    "c9d1d9",
    "ff7b72",
    "3fb950",
    "d29922",
    "58a6ff",
    "bc8cff",
    "39c5cf",
    "b1bac4",
    "8b949e",
    "ffa198",
    "56d364",
    "e3b341",
    "79c0ff",
    "d2a8ff",
    "56d4dd",
    "f0f6fc",
  ],
};

const PAGES = {
  light: { page: "ffffff", text: "24292f", frame: "d0d7de" },
  dark: { page: "0d1117", text: "e6edf3", frame: "30363d" },
};

/**
 * @param {string} screen Lines with SGR sequences, as `tmux capture-pane -e -p` writes them.
 * @param {{ columns: number, title: string }} options `title` is what a screen reader says.
 * @returns {string} The SVG.
 */
export function terminalSvg(screen, { columns, title }) {
  const lines = screen.replace(/\s+$/, "").split("\n");
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = lines.length * CELL.height + 2 * PADDING;
  const texts = lines.map((line, row) => textOf(line, PADDING + row * CELL.height + 14)).filter((text) => text !== "");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>
${styleOf("light")}
@media (prefers-color-scheme: dark) {
${styleOf("dark")}
}
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
.b { font-weight: bold; } .d { opacity: 0.7; } .u { text-decoration: underline; }
</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${texts.join("\n")}
</svg>
`;
}

function styleOf(theme) {
  const { page, text, frame } = PAGES[theme];
  const colours = COLOURS[theme].map((colour, index) => `.c${index} { fill: #${colour}; }`);
  return [`.page { fill: #${page}; stroke: #${frame}; }`, `text { fill: #${text}; }`, ...colours].join("\n");
}

const ESCAPE = "\u001b";
/** A sequence that changes how cells look, or the text up to the next one. */
const PARTS = new RegExp(`${ESCAPE}\\[([\\d;]*)m|([^${ESCAPE}]+)`, "g");

/** A line, with a span for each run of cells that look alike. Each span has its place, whatever width a font gives to a letter. */
function textOf(line, y) {
  const spans = [];
  let look = {};
  let column = 0;
  for (const [, codes, text] of line.matchAll(PARTS)) {
    if (codes !== undefined) look = lookAfter(look, codes);
    else {
      const cells = [...text].length;
      const x = (PADDING + column * CELL.width).toFixed(1);
      const length = (cells * CELL.width).toFixed(1);
      if (text.trim() !== "") {
        spans.push(`<tspan x="${x}" textLength="${length}"${classOf(look)}>${escaped(text)}</tspan>`);
      }
      column += cells;
    }
  }
  return spans.length === 0 ? "" : `<text y="${y}" xml:space="preserve">${spans.join("")}</text>`;
}

function lookAfter(look, codes) {
  let next = look;
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) next = {};
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 4) next = { ...next, underlined: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 24) next = { ...next, underlined: false };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 90 + 8 };
    else if (code === 39) next = { ...next, colour: undefined };
  }
  return next;
}

function classOf({ bold, dim, underlined, colour }) {
  const names = [bold && "b", dim && "d", underlined && "u", colour !== undefined && `c${colour}`].filter(Boolean);
  return names.length === 0 ? "" : ` class="${names.join(" ")}"`;
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
