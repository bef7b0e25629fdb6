import { describe, expect, test } from "vitest";
import { DETACH_KEYS, parseDetachKeys, untilDetached } from "../../../src/cli/container-session/detach-keys.js";

describe("parsing --detach-keys", () => {
  test.each([
    [DETACH_KEYS, [16, 17]],
    ["a", [97]],
    ["ctrl-a,b", [1, 98]],
    ["ctrl-@,ctrl-[,ctrl-\\,ctrl-],ctrl-^,ctrl-_", [0, 27, 28, 29, 30, 31]],
    ["DEL", [127]],
  ])("reads %j as these bytes: %j", (keys, bytes) => {
    expect([...parseDetachKeys(keys)]).toEqual(bytes);
  });

  test.each(["ctrl-", "ctrl-é", "ctrl-A", "ab", "", "a,,b", "del"])("refuses %j with kubectl's error", (keys) => {
    expect(() => parseDetachKeys(keys)).toThrow(/^Unknown character: '/);
  });
});

describe("the input of an attached container session", () => {
  async function* chunks(texts: readonly string[]): AsyncGenerator<Uint8Array, void> {
    for (const text of texts) yield Buffer.from(text);
  }
  const read = async (texts: readonly string[]): Promise<{ readonly text: string; readonly detached: boolean }> => {
    let text = "";
    let detached = false;
    for await (const chunk of untilDetached(chunks(texts), parseDetachKeys("x,y"), () => (detached = true))) {
      text += Buffer.from(chunk).toString();
    }
    return { text, detached };
  };

  test.each([
    ["ends at the keys", ["abxycd"], "ab", true],
    ["ends at keys in two chunks", ["abx", "ycd"], "ab", true],
    ["holds back what may be the keys, and passes it on when they are not", ["abx", "z"], "abxz", false],
    ["passes on keys in the wrong order", ["yx", "a"], "yxa", false],
    ["looks at each key once, as kubectl does", ["xxy"], "xxy", false],
    ["keeps bytes of letters apart", ["é€", "xé"], "é€xé", false],
  ])("%s", async (_rule, texts, text, detached) => {
    expect(await read(texts)).toEqual({ text, detached });
  });
});
