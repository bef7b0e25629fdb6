import { resolvePlain } from "./scalars.js";

export type ScalarStyle = "plain" | "single" | "double" | "literal";

interface Analysis {
  readonly multiline: boolean;
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly blockAllowed: boolean;
}

/** Whether libyaml counts a character as a line break when it prints text. */
export function isBreak(character: string | undefined): boolean {
  return (
    character === "\n" ||
    character === "\r" ||
    character === "\u0085" ||
    character === "\u2028" ||
    character === "\u2029"
  );
}

/** Whether goyaml prints a character unescaped. It escapes all beyond U+FFFF. */
export function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    code === 0x0a ||
    (code >= 0x20 && code <= 0x7e) ||
    (code >= 0xa0 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff)
  );
}

/** Chooses the style in which goyaml v2 prints a string in block context, as a value or as a simple key. */
export function chooseStyle(value: string, characters: readonly string[], simpleKey: boolean): ScalarStyle {
  const analysis = analyse(characters);
  let style: ScalarStyle = "double";
  if (value.includes("\n")) style = "literal";
  else if (resolvePlain(value).tag === "str" && !isBase60(value)) style = "plain";
  if (simpleKey && analysis.multiline) style = "double";
  if (style === "plain" && !analysis.plainAllowed) style = "single";
  if (style === "plain" && value === "" && simpleKey) style = "single";
  if (style === "single" && !analysis.singleAllowed) style = "double";
  if (style === "literal" && (!analysis.blockAllowed || simpleKey)) style = "double";
  return style;
}

/** Base 60 is not read, but quoted for the sake of parsers that do. */
function isBase60(value: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(value);
}

export function isMultiline(characters: readonly string[]): boolean {
  return characters.some(isBreak);
}

const startIndicators = new Set("#,[]{}&*!|>'\"%@`");

function analyse(characters: readonly string[]): Analysis {
  const head = characters.slice(0, 3).join("");
  let indicators = head === "---" || head === "...";
  let breaks = false;
  let special = false;
  let breakThenSpace = false;
  let spaceThenBreak = false;
  let previous: "space" | "break" | "other" = "other";
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    const followedByBlank = next === undefined || next === " " || next === "\t";
    if (index === 0) {
      if (startIndicators.has(character)) indicators = true;
      if ("?:-".includes(character) && followedByBlank) indicators = true;
    } else if (character === ":" && followedByBlank) indicators = true;
    else if (character === "#" && isBlankOrBreak(characters[index - 1])) indicators = true;

    if (!isPrintable(character)) special = true;
    if (character === " ") {
      if (previous === "break") breakThenSpace = true;
      previous = "space";
    } else if (isBreak(character)) {
      breaks = true;
      if (previous === "space") spaceThenBreak = true;
      previous = "break";
    } else previous = "other";
  }
  const first = characters[0];
  const last = characters.at(-1);
  const edges = [first, last].some((character) => character === " " || isBreak(character));
  const unsafe = spaceThenBreak || special;
  return {
    multiline: breaks,
    plainAllowed: !(edges || breakThenSpace || unsafe || breaks || indicators),
    singleAllowed: !(breakThenSpace || unsafe),
    blockAllowed: characters.length > 0 && last !== " " && !unsafe,
  };
}

function isBlankOrBreak(character: string | undefined): boolean {
  return character === " " || character === "\t" || isBreak(character);
}
