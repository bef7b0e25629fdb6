import { dictionary } from "../../base/collections/dictionary.js";

/** The meaning of a value, which decides its colour. A value without a tone is shown plain. */
export type Tone = "good" | "busy" | "bad" | "muted";

/**
 * The tone of a value by its column; this is the only place that maps values to tones. A column is named by its heading in any
 * case, a description's line by its key without the colon.
 */
export function toneOf(column: string, value: string): Tone | undefined {
  const text = value.trim();
  if (text === "") return undefined;
  if (NOTHING.has(text)) return "muted";
  return BY_COLUMN[column.toUpperCase()]?.(text);
}

const NOTHING: ReadonlySet<string> = new Set(["<none>", "<unset>", "<unknown>", "<nil>"]);

/** Types of conditions that are bad news when they are true. */
const TROUBLE =
  /(?:Pressure|Unavailable|Failed|Failure|FailureTarget|Degraded|Unreachable|Error|Invalid|Denied|Stalled|NotFound|Problem|Deadlock)$/;
/** Types of conditions that are true until something is over. */
const UNDER_WAY = /(?:Remaining|Pending|Resizing|Suspended|Limited|DisruptionTarget|Deleting|Terminating)$/;

/** The tone of a condition's status, by the condition's type. */
export function conditionTone(type: string, status: string): Tone | undefined {
  if (type === "") return toneOf("", status);
  if (status === "Unknown") return "busy";
  if (status !== "True" && status !== "False") return toneOf("", status);
  if (TROUBLE.test(type)) return status === "True" ? "bad" : "good";
  if (UNDER_WAY.test(type)) return status === "True" ? "busy" : "good";
  return status === "True" ? "good" : "busy";
}

/** The tone of a log level; klog's letters and pino's numbers are levels too. */
export const levelTone = (word: string): Tone | undefined => LEVELS.get(word.toLowerCase());

const LEVELS: ReadonlyMap<string, Tone> = new Map([
  ...toned("bad", "e f error err fatal critical crit panic severe alert emerg emergency 50 60"),
  ...toned("busy", "w warn warning 40"),
  ...toned("good", "i info notice 30"),
  ...toned("muted", "debug trace verbose 10 20"),
]);

function toned(tone: Tone, words: string): readonly (readonly [string, Tone])[] {
  return words.split(" ").map((word) => [word, tone] as const);
}

type Rule = (text: string) => Tone | undefined;

const GOOD = new Set(
  "running active ready bound available complete completed succeeded successful established approved issued healthy deployed".split(
    " ",
  ),
);
const BUSY = new Set(
  "pending waiting containercreating podinitializing unknown schedulingdisabled suspended released progressing starting notstarted <pending> <invalid>".split(
    " ",
  ),
);
const BAD = new Set(
  "failed evicted oomkilled notready lost denied deadlineexceeded containerstatusunknown unschedulable unhealthy stopped".split(
    " ",
  ),
);

/** "Ready,SchedulingDisabled" and "Init:0/2" are several words; the worst of them counts. */
function status(text: string): Tone | undefined {
  const words = text.split(/[,:\s]+/).filter((word) => word !== "");
  if (words[0] === "Terminating") return "muted";
  const tones = words.map(statusWord);
  return (["bad", "busy", "good"] as const).find((tone) => tones.includes(tone));
}

function statusWord(word: string): Tone | undefined {
  const lower = word.toLowerCase();
  if (BAD.has(lower) || /BackOff$|^Err|Error|^Invalid|Cannot/.test(word)) return "bad";
  if (BUSY.has(lower) || /^Init$/.test(word)) return "busy";
  return GOOD.has(lower) ? "good" : undefined;
}

/** "1/2"; nothing to be ready is not worth a colour. */
function share(text: string): Tone | undefined {
  const [, some, all] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (some !== undefined) return Number(some) < Number(all) ? "busy" : undefined;
  return truth(text);
}

function truth(text: string): Tone | undefined {
  if (text === "True") return "good";
  return text === "False" || text === "Unknown" ? "busy" : undefined;
}

/** Of 100; what is nearly used up is seen first. */
function percentage(text: string): Tone | undefined {
  const percent = /^(\d+)%$/.exec(text)?.[1];
  if (percent === undefined || Number(percent) < 75) return undefined;
  return Number(percent) < 90 ? "busy" : "bad";
}

const restarts: Rule = (text) => (/^[1-9]/.test(text) ? "busy" : undefined);
const kindOfEvent: Rule = (text) => (text === "Warning" ? "busy" : undefined);
const change: Rule = (text) => CHANGES.get(text);
const CHANGES: ReadonlyMap<string, Tone> = new Map([
  ["ADDED", "good"],
  ["MODIFIED", "busy"],
  ["DELETED", "bad"],
  ["ERROR", "bad"],
]);
const aside: Rule = () => "muted";
const worst: Rule = (text) => (status(text) === "bad" ? "bad" : undefined);

const BY_COLUMN: Readonly<Record<string, Rule>> = dictionary({
  STATUS: status,
  STATE: status,
  "LAST STATE": status,
  PHASE: status,
  CONDITION: status,
  READY: share,
  COMPLETIONS: share,
  AVAILABLE: truth,
  ESTABLISHED: truth,
  RESTARTS: restarts,
  "RESTART COUNT": restarts,
  REASON: worst,
  TYPE: kindOfEvent,
  EVENT: change,
  AGE: aside,
  "LAST SEEN": aside,
  "FIRST SEEN": aside,
  DURATION: aside,
  "CPU(%)": percentage,
  "MEMORY(%)": percentage,
  "SWAP(%)": percentage,
});
