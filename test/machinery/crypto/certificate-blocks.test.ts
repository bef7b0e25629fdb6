import { expect, test } from "vitest";
import { certificateBlocks } from "../../../src/machinery/crypto/pem.js";
import { inShortTurns } from "../../helpers/short-turns.js";

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

test.each([
  ["no certificate", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n", []],
  ["two with text around them", `# a\n${BEGIN}\nAA==\n${END}\n# b\n${BEGIN}\nBB==\n${END}`, ["AA==", "BB=="]],
  ["a beginning without an end after one", `${BEGIN}\nAA==\n${END}\n${BEGIN}\nBB==`, ["AA=="]],
])("finding PEM certificates in a text: %s", (_, text, bodies) => {
  expect(certificateBlocks(text)).toEqual(bodies.map((body) => `${BEGIN}\n${body}\n${END}`));
});

test("finding PEM certificates in a text of begin lines alone takes one pass", async () => {
  const bundle = `${BEGIN}\n`.repeat(10_000);
  expect(await inShortTurns(() => Promise.resolve(certificateBlocks(bundle)))).toEqual([]);
});
