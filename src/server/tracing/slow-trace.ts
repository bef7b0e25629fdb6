import { goQuote } from "../../base/text/go-quote.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { SpanFields } from "../../machinery/tracing/request-span.js";

interface Step {
  readonly name: string;
  readonly fields: SpanFields;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** How the items of a trace are written. */
interface Writing {
  /** What a line begins with. */
  readonly indent: string;
  /** Steps that took less, in milliseconds, are left out; undefined: none is. */
  readonly threshold: number | undefined;
  readonly now: number;
  /** Whether all steps and parts are written, as kube-apiserver does from -v=4 on. */
  readonly all: boolean;
}

/**
 * The steps and parts of slow work, for the log. Its text, and its rules for what gets a line, are those of k8s.io/utils/trace.
 * Times are milliseconds since the epoch.
 */
export class SlowTrace {
  readonly #items: (Step | SlowTrace)[] = [];
  #threshold: number | undefined;
  #ended: number | undefined;

  constructor(
    readonly name: string,
    public fields: SpanFields,
    readonly began: number,
  ) {}

  add(fields: SpanFields): void {
    this.fields = { ...this.fields, ...fields };
  }

  step(name: string, fields: SpanFields, at: number): void {
    this.#items.push({ name, fields, at });
  }

  part(name: string, fields: SpanFields, at: number): SlowTrace {
    const part = new SlowTrace(name, fields, at);
    this.#items.push(part);
    return part;
  }

  end(at: number, threshold: number): void {
    this.#ended = at;
    this.#threshold = threshold;
  }

  /** The texts to log of the ended trace: its own when it was slow, else those of its slow parts. `number` gives each its number. */
  texts(now: number, all: boolean, number: () => number): readonly string[] {
    const ended = this.#ended;
    if (ended === undefined || !this.#isSlow()) {
      return this.#items.flatMap((item) => (item instanceof SlowTrace ? item.texts(now, all, number) : []));
    }
    const head = `Trace[${number()}]: `;
    const took = ended - this.began;
    const title = `${goQuote(this.name)} ${fieldsText(this.fields)}`;
    const first = `${head}${title}(${dayText(this.began)}) (total time: ${Math.trunc(took)}ms):`;
    const steps = this.#itemsText({ indent: `\n${head}`, threshold: this.#stepThreshold(), now, all });
    const exact = goDurationText(Number(took.toFixed(6)));
    return [`${first}${steps}\n${head}[${exact}] [${exact}] END`];
  }

  #isSlow(): boolean {
    if (this.#ended === undefined) return false;
    return (this.#threshold ?? 0) === 0 || this.#ended - this.began >= (this.#threshold ?? 0);
  }

  #itemsText(writing: Writing): string {
    let text = "";
    let last = this.began;
    for (const item of this.#items) {
      text += item instanceof SlowTrace ? item.#text(writing) : stepText(item, last, writing);
      last = item instanceof SlowTrace ? (item.#ended ?? item.began) : item.at;
    }
    return text;
  }

  #text(writing: Writing): string {
    const { indent, now, all } = writing;
    if (!this.#isSlow() && !all) {
      return this.#items.map((item) => (item instanceof SlowTrace ? item.#text(writing) : "")).join("");
    }
    const threshold = this.#stepThreshold() ?? writing.threshold;
    const items = this.#itemsText({ ...writing, indent: `${indent} `, threshold });
    // Kubernetes shows how long ago a part began.
    return `${indent}[${summary(this, now - this.began, this.began)}${items}]`;
  }

  /** The share of the threshold that each step has; what parts may take of their own is taken off it. */
  #stepThreshold(): number | undefined {
    const threshold = this.#threshold;
    if (threshold === undefined) return undefined;
    let count = this.#items.length + 1;
    let left = threshold;
    for (const item of this.#items) {
      if (!(item instanceof SlowTrace) || item.#threshold === undefined) continue;
      left -= item.#threshold;
      count -= 1;
    }
    const least = threshold / 4;
    return left < least ? least / (this.#items.length + 1) : left / count;
  }
}

function stepText(step: Step, since: number, { indent, threshold, all }: Writing): string {
  const took = step.at - since;
  const isShown = threshold === undefined || threshold === 0 || took >= threshold || all;
  return isShown ? `${indent}---${summary(step, took, step.at)}` : "";
}

const summary = ({ name, fields }: { readonly name: string; readonly fields: SpanFields }, took: number, at: number) =>
  `${goQuote(name)} ${fieldsText(fields)}${Math.trunc(took)}ms (${timeText(new Date(at))})`;

/** With a blank behind them; "" where there are none. */
function fieldsText(fields: SpanFields): string {
  const texts = Object.entries(fields).map(([key, value]) => `${key}:${value}`);
  return texts.length === 0 ? "" : `${texts.join(",")} `;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "02-Jan-2006 15:04:05.000", in local time as all of the log. */
function dayText(at: number): string {
  const date = new Date(at);
  return `${padded(date.getDate())}-${MONTHS[date.getMonth()]}-${date.getFullYear()} ${timeText(date)}`;
}

function timeText(date: Date): string {
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => padded(part)).join(":");
  return `${time}.${padded(date.getMilliseconds(), 3)}`;
}

const padded = (value: number, width = 2): string => String(value).padStart(width, "0");
