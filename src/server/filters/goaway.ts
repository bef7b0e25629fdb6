import type { Random } from "../../base/numbers/random.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import type { Filter } from "../request/api-request.js";
import { withAnswerHeaders } from "../request/wrapped-exchange.js";

/** How finely chances are told apart. */
const SCALE = 1_000_000;

/**
 * Ends the HTTP/2 connection of a request with this probability (--goaway-chance), so that clients behind a load balancer are
 * distributed over its servers again. Other requests on the connection continue to their end.
 */
export function probabilisticGoaway(chance: number, random: Random): Filter {
  return (next) => (request) => {
    if (request.exchange.protocol !== "HTTP/2.0" || randomBelow(random, SCALE) >= chance * SCALE) return next(request);
    return next(request.with({ exchange: withAnswerHeaders(request.exchange, { connection: "close" }) }));
  };
}
