import { median } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";
import { FAIR, GO, OFF } from "./contenders.mjs";

/** The p99 with fairness, of that without it, and of the Go server's. */
const OF_OFF = 0.1;
const OF_GO = 1.5;
const JUDGED = ["administrator", "quiet user"];
const FIGURES = ["p50", "p99", "longest", "longestGap", "answers", "refusals", "errors", "unanswered"];

/**
 * A table of all clients of each server, and the judged lines. `samples` are each server's rounds, by its name. The gain is judged beside gets: a
 * list is made in slices of the event loop with and without fairness, so that lists delay the others little anyhow.
 */
export function reportText(samples, { asks }) {
  const rows = [["", "p50 ms", "p99 ms", "longest ms", "longest without an answer ms", "answers", "429", "errors"]];
  for (const [name, rounds] of samples) {
    const rate = (kind) => median(rounds.map(({ flood }) => flood[kind])).toFixed(0);
    rows.push([
      `${name}; the flood: ${rate("answers")} answers/s, ${rate("refusals")} refused/s, ${rate("errors")} errors/s`,
    ]);
    for (const { name: client } of rounds[0].clients) {
      const of = (figure) => figureOf(rounds, client, figure);
      const times = FIGURES.slice(0, 4).map((figure) => shown(of(figure)));
      const counts = [of("answers"), of("refusals"), of("errors") + of("unanswered")].map(String);
      rows.push([`  ${client}`, ...times, ...counts]);
    }
  }
  return `${tableText(rows)}\n${verdicts(samples, asks).join("\n")}\n`;
}

function verdicts(samples, asks) {
  const fair = samples.get(FAIR);
  if (fair === undefined) return [];
  const shares = (name) => {
    const rounds = samples.get(name);
    return rounds && JUDGED.map((client) => figureOf(fair, client, "p99") / figureOf(rounds, client, "p99"));
  };
  const judged = (what, name, limit) => {
    const found = shares(name);
    if (found === undefined) return `${what}: not measured`;
    const text = found.map((share, index) => `${JUDGED[index]} ${share.toFixed(3)}`).join(", ");
    if (limit === undefined) return `${what}: ${text}; not judged`;
    return `${what}: ${text}; at most ${limit}: ${found.every((share) => share <= limit) ? "met" : "MISSED"}`;
  };
  const lost = fair.flatMap(({ clients }) => clients).filter(({ answers, asked }) => answers < asked);
  const names = [...new Set(lost.map(({ name }) => name))].join(", ");
  return [
    judged(`p99 of that of "${OFF}"`, OFF, asks === "gets" ? OF_OFF : undefined),
    judged(`p99 of that of ${GO}`, GO, OF_GO),
    `every request beside the flood is answered, renewals and the controller's too: ${lost.length === 0 ? "met" : `MISSED (${names})`}`,
  ];
}

/** The median of a client's figure over the rounds. */
function figureOf(rounds, client, figure) {
  return median(rounds.map(({ clients }) => clients.find(({ name }) => name === client)[figure]));
}

const shown = (value) => (value === undefined ? "-" : value.toFixed(value < 100 ? 1 : 0));
