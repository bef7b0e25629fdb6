import { describe, expect, test } from "vitest";
import { inShortTurns } from "../../helpers/short-turns.js";
import { withLinks } from "../../../src/server/kubelet/html-links.js";

/** The page that comes of these chunks, with every address in brackets. */
async function bracketed(chunks: readonly Uint8Array[]): Promise<string> {
  const page = async function* () {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  };
  const done: Buffer[] = [];
  for await (const chunk of withLinks(page(), (address) => `[${address}]`)) done.push(chunk);
  return Buffer.concat(done).toString("latin1");
}

const ROWS: readonly (readonly [what: string, page: string, expected: string])[] = [
  ["a link", '<a href="/x">test</a>', '<a href="[/x]">test</a>'],
  ["another quote", "<A\nHREF = '/x'>", "<A\nHREF = '[/x]'>"],
  ["no quotes", "<a href=/x>y</a>", "<a href=[/x]>y</a>"],
  ["an empty address", '<a href="">', '<a href="[]">'],
  ["several", '<img src="/a" alt="/b" longdesc=/c/>', '<img src="[/a]" alt="/b" longdesc=[/c/]>'],
  ["an attribute without a value before it", "<script async src=/x></script>", "<script async src=[/x]></script>"],
  ["a bracket inside of quotes", '<a title="a > b" href="/x">', '<a title="a > b" href="[/x]">'],
  ["attributes without a space between them", '<a id="a"href="/x">', '<a id="a"href="[/x]">'],
  ["a tag that closes itself", '<link href="/x"/>', '<link href="[/x]"/>'],
  ["another attribute or element", '<a src="/x"><p href="/x">', '<a src="/x"><p href="/x">'],
  [
    "a script's text",
    "<script>'<a href=\"/x\">'</script><a href=/y>",
    "<script>'<a href=\"/x\">'</script><a href=[/y]>",
  ],
  ["the end of a script in capitals", "<script></SCRIPT><a href=/y>", "<script></SCRIPT><a href=[/y]>"],
  ["a comment", "<!-- <a href=/x> --><a href=/y>", "<!-- <a href=/x> --><a href=[/y]>"],
  ["an empty comment", "<!--><a href=/y>", "<!--><a href=[/y]>"],
  ["a declaration", "<!DOCTYPE html><a href=/y>", "<!DOCTYPE html><a href=[/y]>"],
  ["signs that begin no tag", "1 < 2 <> <<a href=/y>", "1 < 2 <> <<a href=[/y]>"],
  ["other letters than ASCII", '\xff\x00é<a href="/é">', '\xff\x00é<a href="[/é]">'],
  ["a tag without an end", 'x<a href="/x"', 'x<a href="/x"'],
  ["a comment without an end", "x<!-- <a href=/x>", "x<!-- <a href=/x>"],
];

describe("rewriting links of an HTML page for a proxy", () => {
  test.each(ROWS)("handles %s", async (_, page, expected) => {
    expect(await bracketed([Buffer.from(page, "latin1")])).toBe(expected);
  });

  test.each(ROWS)("handles %s, whatever chunks the page arrives in", async (_, page, expected) => {
    const bytes = Buffer.from(page, "latin1");
    for (let at = 0; at <= bytes.length; at++) {
      expect(await bracketed([bytes.subarray(0, at), bytes.subarray(at)])).toBe(expected);
    }
    expect(await bracketed([...bytes].map((byte) => Uint8Array.of(byte)))).toBe(expected);
  });

  test.each(["<a ", "<a x=/y ", '<a x=" <', "<!--", "<script", "</", "<"])(
    "of nothing but %j does not hold the event loop",
    async (begun) => {
      const chunk = Buffer.from(begun.repeat(Math.ceil(65_536 / begun.length)));
      const page = await inShortTurns(() => bracketed([chunk, chunk, chunk]));
      expect(page).toBe(chunk.toString().repeat(3));
    },
  );

  test("does not buffer a tag that never ends", async () => {
    const chunks = Array.from({ length: 64 }, () => Buffer.alloc(4096, "x "));
    let [sent, received] = [0, 0];
    const page = async function* () {
      yield Buffer.from("<a ");
      for (const chunk of chunks) {
        sent += chunk.length;
        yield await Promise.resolve(chunk);
        expect(sent - received).toBeLessThan(32 * 1024);
      }
    };
    for await (const chunk of withLinks(page(), (address) => address)) received += chunk.length;
    expect(received).toBe(sent + 3);
  });
});
