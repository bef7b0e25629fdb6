import { ESCAPE } from "./display-width.js";
import { levelTone, type Tone } from "./tones.js";

/** A part of a line of a log: the key of a JSON object, or the word for its level. */
export interface LogPart {
  readonly start: number;
  /** Where what follows begins. */
  readonly end: number;
  readonly tone: Tone | "key";
}

/** The word for the level stands near the beginning. */
const HEAD = 160;

/** What --timestamps puts in front of a line. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) /;

/** klog's "E0102 15:04:05.000000". */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d/;

/** level=error, lvl="warn". */
const PAIR = /(?:^|[\s,{[(|])(?:level|lvl|severity|loglevel)=("?)([A-Za-z]{3,9})(?![A-Za-z])/;

/** ERROR, [error], <warn>; a word of small letters needs brackets, or tabs as zap writes them. */
const WORD =
  /(?:^|[\s[(<|:])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC|SEVERE)(?![\w/.=-])|[[<\t](trace|debug|info|notice|warn|warning|error|fatal|crit|critical|panic|alert|emerg)[\]>\t]/;

/**
 * The parts of a line of a log that have a colour, from left to right: keys and level of a JSON object, or the word for the level. None
 * in a line that holds sequences of its own. `text` is the line, or as much of it as may be looked at.
 */
export function logParts(text: string): readonly LogPart[] {
  if (text.includes(ESCAPE)) return [];
  const from = TIME.exec(text.slice(0, HEAD))?.[0].length ?? 0;
  if (text[from] === "{") return jsonParts(text, from);
  const head = text.slice(from, from + HEAD);
  const found = levelIn(head);
  if (found === undefined) return [];
  const tone = levelTone(found.word);
  return tone === undefined ? [] : [{ start: from + found.at, end: from + found.at + found.length, tone }];
}

interface Found {
  readonly word: string;
  readonly at: number;
  readonly length: number;
}

function levelIn(head: string): Found | undefined {
  const klog = KLOG.exec(head);
  // The letter and the day are coloured together.
  if (klog !== null) return { word: klog[1] ?? "", at: 0, length: 5 };
  const pair = PAIR.exec(head);
  if (pair !== null) {
    const word = pair[2] ?? "";
    return { word, at: pair.index + pair[0].length - word.length, length: word.length };
  }
  const found = WORD.exec(head);
  const word = found?.[1] ?? found?.[2];
  if (found === null || word === undefined) return undefined;
  return { word, at: found.index + found[0].indexOf(word), length: word.length };
}

const LEVEL_KEYS: ReadonlySet<string> = new Set(["level", "lvl", "severity", "loglevel", "log.level", "levelname"]);

/** Walks over the tokens of a JSON object once. What ends in the middle is coloured as far as it goes. */
function jsonParts(text: string, from: number): readonly LogPart[] {
  const parts: LogPart[] = [];
  let depth = 0;
  /** The value that comes next is a level. */
  let isLevel = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    else if (char === '"') {
      const end = endOfString(text, at);
      if (end === undefined) break;
      const colon = nextOf(text, end);
      const word = text.slice(at + 1, end - 1);
      if (text[colon] === ":") {
        parts.push({ start: at, end, tone: "key" });
        isLevel = depth === 1 && LEVEL_KEYS.has(word.toLowerCase());
        at = colon;
        continue;
      }
      const tone = isLevel ? levelTone(word) : undefined;
      if (tone !== undefined) parts.push({ start: at, end, tone });
      at = end - 1;
    } else if (isLevel && char !== undefined && isDigit(char)) {
      let end = at + 1;
      while (end < text.length && isDigit(text[end] ?? "")) end += 1;
      const tone = levelTone(text.slice(at, end));
      if (tone !== undefined) parts.push({ start: at, end, tone });
      at = end - 1;
    } else if (char === " " || char === "\t") continue;
    isLevel = false;
    if (depth === 0) break;
  }
  return parts;
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9";

/** Behind the closing quote; undefined where there is none. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === '"') return at + 1;
  }
  return undefined;
}

function nextOf(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}
