import { type Attack, attacksOn, textOf } from "./attack-texts.js";

/** Lengths of texts, and how much longer a match of the long one may take: four times as long is 16 times the work of a quadratic one. */
const [SHORT, LONG] = [1500, 6000];
const MOST_GROWTH = 9;
/** A match of the long text is not looked at when it takes no longer than so many passes over it. */
const PASSES = 200;
/** Lengths of texts on which an exponential match is found before it takes for ever. */
const FIRST = [16, 20, 24, 28, 40, 100, 400];

/** How often a pattern must be slow on a text, one time after another: no other work of the machine makes it so each time. */
const TRIALS = 3;

/** The text on which a pattern's work grows faster than the text; undefined where none is found. */
export function slowTextOf(pattern: RegExp): Attack | undefined {
  return attacksOn(pattern).find((attack) => {
    for (let trial = 0; trial < TRIALS; trial++) if (!isSlow(pattern, attack)) return false;
    return true;
  });
}

function isSlow(pattern: RegExp, attack: Attack): boolean {
  for (const length of FIRST) {
    const text = textOf(attack, length);
    if (took(() => apply(pattern, text)) > 400 * took(() => onePass(text.padEnd(2000)))) {
      if (isSlowAt(pattern, attack, length)) return true;
    }
  }
  const long = textOf(attack, LONG);
  if (took(() => apply(pattern, long)) <= PASSES * took(() => onePass(long))) return false;
  const short = textOf(attack, SHORT);
  const [time, before] = [least(() => apply(pattern, long)), least(() => apply(pattern, short))];
  return time > PASSES * least(() => onePass(long)) && time > MOST_GROWTH * before;
}

/** Whether four characters more make a match take much longer: it is no interruption that made this one slow. */
function isSlowAt(pattern: RegExp, attack: Attack, length: number): boolean {
  const [text, short] = [textOf(attack, length), textOf(attack, length / 2)];
  return least(() => apply(pattern, text)) > 16 * least(() => apply(pattern, short));
}

/** What a program does with a pattern: searches, or replaces every match. */
function apply(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.global) text.replaceAll(pattern, "");
  else pattern.exec(text);
}

/** A pass of a matcher that does not backtrack, over text that it never finds anything in. */
const onePass = (text: string): void => void /[\ue000-\ue003]/.exec(text);

function took(work: () => void): number {
  const began = performance.now();
  work();
  return Math.max(performance.now() - began, 1e-4);
}

/** The shortest of several times, by the processor's clock: what else the machine does is not in it. Microseconds. */
const least = (work: () => void): number => Math.min(...Array.from({ length: 3 }, () => processorTime(work)));

/** Works often enough that the clock, which counts microseconds, says how long once takes. */
function processorTime(work: () => void): number {
  const began = process.cpuUsage();
  for (let times = 1; ; times += 1) {
    work();
    const { user, system } = process.cpuUsage(began);
    if (user + system >= LEAST_MICROSECONDS) return (user + system) / times;
  }
}

const LEAST_MICROSECONDS = 1000;
