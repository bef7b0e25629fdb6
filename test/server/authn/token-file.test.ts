import { describe, expect, test } from "vitest";
import { staticTokens, readTokenFile } from "../../../src/server/authn/token-file.js";

// AUTHN-1, AUN-4: the static token file.
const userOf = async (text: string, token: string) => staticTokens(readTokenFile("/t.csv", text).users)(token);

describe("a token file gives a token", () => {
  test.each([
    ["a name and a uid", "secret,alice,1\n", { name: "alice", uid: "1", groups: [] }],
    ["one group", "secret,alice,1,dev", { name: "alice", uid: "1", groups: ["dev"] }],
    ["several groups in quotes", 'secret,alice,1,"dev,ops"', { name: "alice", uid: "1", groups: ["dev", "ops"] }],
    ["only the groups of the fourth column", "secret,alice,1,dev,ops", { name: "alice", uid: "1", groups: ["dev"] }],
    ["no uid where it is empty", "secret,alice,", { name: "alice", groups: [] }],
    ["a name with a comma", 'secret,"a, b",1', { name: "a, b", uid: "1", groups: [] }],
    ["the user of its last record", "secret,alice,1\nsecret,bob,2", { name: "bob", uid: "2", groups: [] }],
  ])("%s", async (_, text, expected) => {
    expect(await userOf(text, "secret")).toEqual(expected);
  });
});

describe("a token file has no user for", () => {
  test.each([
    ["another token", "secret,alice,1", "Secret"],
    ["the beginning of a token", "secret,alice,1", "secre"],
    ["an empty token", ",alice,1", ""],
    ["a user's name as a token", "secret,alice,1", "alice"],
  ])("%s", async (_, text, token) => {
    expect(await userOf(text, token)).toBeUndefined();
  });
});

describe("a token file is refused, with name and line but without its tokens, for", () => {
  test.each([
    [
      "two columns",
      "a,b,c\nTOKEN,bob",
      "token file '/t.csv' must have at least 3 columns (token, user name, user uid), found 2 (line 2)",
    ],
    [
      "one column",
      "TOKEN",
      "token file '/t.csv' must have at least 3 columns (token, user name, user uid), found 1 (line 1)",
    ],
    [
      "a stray quote",
      'TOKEN",b,c',
      "token file '/t.csv': parse error on line 1, column 6: bare \" in non-quoted field",
    ],
    [
      "a quote that does not end",
      'a,b,c\n"TOKEN,b,c',
      "token file '/t.csv': parse error on line 2, column 11: extraneous or missing \" in quoted-field",
    ],
  ])("%s", (_, text, message) => {
    const read = () => readTokenFile("/t.csv", text);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/TOKEN/);
  });
});

test("a token file with an empty or repeated token gets a warning that names the line, not the token", () => {
  expect(readTokenFile("/t.csv", "TOKEN,a,1\n,b,2\nTOKEN,c,3").warnings).toEqual([
    "empty token has been found in token file '/t.csv', record number '2'",
    "duplicate token has been found in token file '/t.csv', record number '3'",
  ]);
});
