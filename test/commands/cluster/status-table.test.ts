import { expect, test } from "vitest";
import { problemLines, statusLines } from "../../../src/commands/cluster/status-table.js";
import { plainLook } from "../../../src/printers/look.js";

test("what objects say of themselves does nothing to a terminal, be it at the end of a pipe", () => {
  const words = "a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\re\nf";
  const problem = { namespace: words, object: `pod/${words}`, reason: words, message: words };
  const lines = [...problemLines([problem], plainLook), ...statusLines([["Server", words]], plainLook)];
  expect(lines.join("")).not.toMatch(/\p{Cc}/u);
  expect(lines.join("")).toContain("a^[[31mb^[]0;title^Gc\\x9b2Jd e f");
  expect(lines).toHaveLength(5);
});
