import { describe, expect, test } from "vitest";
import { editorCommand } from "../../../src/cli/editing/edit-in-editor.js";
import { hasContent, jsonOf, substanceOf, withoutComments } from "../../../src/actions/edit/edited-text.js";

describe("the command line of the editor that edit starts", () => {
  test.each([
    ["KUBE_EDITOR stands before EDITOR", { KUBE_EDITOR: "nano", EDITOR: "ed" }, "linux", ["nano"]],
    ["an empty KUBE_EDITOR counts as none", { KUBE_EDITOR: "", EDITOR: "ed" }, "linux", ["ed"]],
    ["vi where nothing is set", {}, "linux", ["vi"]],
    ["notepad on Windows", {}, "win32", ["notepad"]],
    ["words are split at each space", { EDITOR: "code  --wait" }, "linux", ["code", "", "--wait"]],
    ["quotes go to the shell", { EDITOR: "ed 'a b'", SHELL: "/bin/zsh" }, "linux", ["/bin/zsh", "-c", "ed 'a b'"]],
    ["bash where no shell is set", { EDITOR: 'ed "a b"' }, "linux", ["/bin/bash", "-c", 'ed "a b"']],
    ["cmd on Windows", { EDITOR: 'ed "a b"' }, "win32", ["cmd", "/C", 'ed "a b"']],
    ["quotes without a space are part of the name", { EDITOR: "'ed'" }, "linux", ["'ed'"]],
  ] as const)("follows kubectl's rules: %s", (_name, env, platform, words) => {
    expect(editorCommand({ env, platform }).words).toEqual(words);
  });
});

describe("the text that the user saved in the editor", () => {
  test.each([
    ["comments and layout do not", "# a\na: 1\nb: [x]\n", "b:\n- x\na: 1\n# end", true],
    ["values do", "a: 1\n", "a: 2\n", false],
    ["the layout of JSON does", '{"a":1}', '{"a": 1}', false],
    ["of what is no YAML, all but comments", "a: [\n# x\n", "# y\na: [\n", true],
  ])("counts as unchanged or changed by its values: %s", (_name, one, other, same) => {
    expect(substanceOf(one) === substanceOf(other)).toBe(same);
  });

  test("loses its comment lines, but keeps lines that begin with #!", () => {
    expect(withoutComments("# a\n  # b\nkey: 1 # c\n#!d\n\n#e")).toBe("key: 1 # c\n#!d\n\n");
  });

  test.each([
    ["", false],
    ["\n  \n# x\n\t# y", false],
    ["# x\n a", true],
  ])("%j has content besides comments: %j", (text, expected) => {
    expect(hasContent(text)).toBe(expected);
  });

  test("throws with the reason when it cannot be parsed", () => {
    expect(() => jsonOf("a: [\n")).toThrow(/^yaml: /);
  });
});
