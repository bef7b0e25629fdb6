import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { inSlices } from "../../base/async/time-slice.js";
import { outside } from "../../base/async/turns.js";
import { expositionFor } from "../../machinery/metrics/exposition.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import type { ApiRequest } from "../request/api-request.js";
import { respondBytes, respondText } from "../request/respond.js";

const compress = promisify(gzip);

/** Serves metrics in the format that the client accepts. DELETE resets the counts if `mayReset` is true. */
export async function respondMetrics(request: ApiRequest, table: MetricTable, mayReset = true): Promise<void> {
  const { method, headers } = request.exchange;
  if (method === "DELETE" && mayReset) {
    table.reset();
    return respondText(request, 200, "metrics reset\n");
  }
  const { contentType, body } = await writeMetrics(table, headers["accept"], request);
  if (!takesGzip(headers["accept-encoding"])) return respondBytes(request, 200, { "content-type": contentType }, body);
  const zipped = await outside(compress(body));
  await respondBytes(request, 200, { "content-type": contentType, "content-encoding": "gzip" }, zipped);
}

/** Writes the metrics in the format that the Accept header prefers. */
export async function writeMetrics(
  table: MetricTable,
  accept: string | undefined,
  request?: Parameters<typeof inSlices>[1],
): Promise<{ readonly contentType: string; readonly body: Uint8Array }> {
  const { contentType, write } = expositionFor(accept);
  const text = await inSlices(write(await table.read()), request);
  return { contentType, body: Buffer.from(text) };
}

const takesGzip = (encodings = ""): boolean =>
  encodings.split(",").some((encoding) => {
    const [name = "", quality = "q=1"] = encoding.split(";").map((part) => part.trim());
    return name === "gzip" && Number(quality.slice("q=".length)) > 0;
  });
