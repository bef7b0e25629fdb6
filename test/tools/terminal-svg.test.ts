import { expect, test } from "vitest";
import { terminalSvg } from "../../tools/pictures/terminal-svg.mjs";

test("a picture of a terminal has both colour schemes, a title, and each span in its column", () => {
  const svg = terminalSvg("\x1b[31merror:\x1b[0m a <b>\n\x1b[1;32mok\x1b[39m\n", { columns: 20, title: "a & b" });
  expect(svg).toContain("@media (prefers-color-scheme: dark)");
  expect(svg).toContain("<title>a &amp; b</title>");
  expect(svg).toContain('<tspan x="14.0" textLength="50.4" class="c1">error:</tspan>');
  expect(svg).toContain('<tspan x="64.4" textLength="50.4"> a &lt;b&gt;</tspan>');
  expect(svg).toContain('class="b c2">ok</tspan>');
});
