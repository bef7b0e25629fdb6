import { tableText } from "../table.mjs";

/**
 * Collects rows and prints them as a table. `must` and `goal` hold any of `times` (better than kube-apiserver), `ofFloor` (of the
 * floor measured beside it), `ofCreate` (of the same server's creates), `ofConfigMaps` (of the rate of the same server's ConfigMaps),
 * `atLeast` and `below` (a value); more is better where the unit is "/s", less everywhere else.
 */
export class Report {
  #rows = [];

  add(row) {
    this.#rows.push(row);
  }

  text() {
    const head = ["", "measured", "of floor", "kube-apiserver", "must", "goal", ""];
    const lines = [head];
    let what;
    for (const row of this.#rows) {
      if (row.what !== what) lines.push([row.what]);
      what = row.what;
      lines.push([
        `  ${row.who}`,
        `${row.value.toFixed(row.value < 100 ? 1 : 0)} ${row.unit}`,
        row.ofFloor === undefined ? "" : row.ofFloor.toFixed(2),
        row.apiserver === undefined ? "" : `${row.apiserver} (${better(row).toFixed(1)} x)`,
        verdict(row, row.must),
        verdict(row, row.goal),
        row.more ?? "",
      ]);
    }
    return tableText(lines);
  }
}

const moreIsBetter = ({ unit }) => unit === "/s";

/** How many times better than kube-apiserver. */
function better(row) {
  return moreIsBetter(row) ? row.value / row.apiserver : row.apiserver / row.value;
}

function verdict(row, wanted) {
  if (wanted === undefined) return "";
  const checks = Object.entries(wanted).map(([kind, limit]) => {
    switch (kind) {
      case "times":
        return [`${limit} x`, better(row) >= limit];
      case "ofFloor":
        return [`${limit} of floor`, moreIsBetter(row) ? row.ofFloor >= limit : row.ofFloor <= limit];
      case "ofCreate":
        return [`${limit} of create`, row.ofCreate >= limit];
      case "ofConfigMaps":
        return [`${limit} of ConfigMaps`, row.ofConfigMaps >= limit];
      case "atLeast":
        return [`${limit} ${row.unit}`, row.value >= limit];
      case "below":
        return [`${limit} ${row.unit}`, row.value < limit];
    }
  });
  return checks.map(([text, met]) => `${text}: ${met ? "met" : "MISSED"}`).join(", ");
}
