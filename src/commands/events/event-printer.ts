import type { Clock } from "../../base/time/clock.js";
import { interval } from "../../kinds/describe/events.js";
import { object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { headingCells, type Look, rowCells, tableColumns } from "../../printers/look.js";
import { listItems, type Printer } from "../../printers/printer.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";

export interface EventPrintOptions {
  readonly noHeaders: boolean;
  readonly allNamespaces: boolean;
  readonly clock: Clock;
  readonly look: Look;
}

/** A line of tab-separated cells for each event, below headings that come once. */
export function eventPrinter({ noHeaders, allNamespaces, clock, look }: EventPrintOptions): Printer {
  const headings = [...(allNamespaces ? ["NAMESPACE"] : []), ...HEADINGS];
  let headed = noHeaders;
  return {
    print(printed, out) {
      out.table?.(tableColumns(headings, !headed));
      if (!headed) {
        out(`${headingCells(look, headings).join("\t")}\n`);
        headed = true;
      }
      for (const event of listItems(printed) ?? [printed]) {
        const cells = eventCells(event, clock.now());
        const row = allNamespaces ? [event.metadata?.namespace ?? "", ...cells] : cells;
        out(`${rowCells(look, headings, row).join("\t")}\n`);
      }
    },
  };
}

const HEADINGS = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

function eventCells(event: KubeObject, now: number): readonly string[] {
  const about = object(event.involvedObject);
  const [type, reason, kind, name, message] = [
    event.type,
    event.reason,
    about.kind,
    about.name,
    text(event.message).trim(),
  ].map((value) => escapeForTerminal(text(value)));
  return [interval(event, now), type ?? "", reason ?? "", `${kind}/${name}`, message ?? ""];
}

/** When it was seen last, in milliseconds; an event without a time comes before all others. */
export function eventTime({ series, lastTimestamp, eventTime: time }: KubeObject): number {
  const seen =
    series === undefined || series === null ? text(lastTimestamp) || text(time) : text(object(series).lastObservedTime);
  return Date.parse(seen) || Number.NEGATIVE_INFINITY;
}
