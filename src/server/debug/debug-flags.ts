import type { ApiRequest } from "../request/api-request.js";
import { respondBytes } from "../request/respond.js";

/** Sets the verbosity of the log. */
export type SetVerbosity = (level: number) => void;

/** A number of -v, in digits. */
const LEVEL_BYTES = 64;
const MOST = 2 ** 31 - 1;

/**
 * Serves the paths below /debug/flags: PUT /debug/flags/v sets the verbosity of the log, in component-base's words; any other path lists
 * the flags.
 */
export async function respondDebugFlag(request: ApiRequest, setVerbosity: SetVerbosity): Promise<void> {
  if (request.info.path !== "/debug/flags/v") {
    return respondBytes(request, 200, { "content-type": "text/html; charset=utf-8" }, INDEX);
  }
  const { exchange } = request;
  if (exchange.method !== "PUT") return answer(request, 406, "unsupported http method");
  const text = Buffer.from(await exchange.body(LEVEL_BYTES)).toString("utf8");
  const fault = levelFault(text);
  if (fault !== undefined) return answer(request, 400, fault);
  setVerbosity(Number(text));
  return answer(request, 200, `successfully set klog.logging.verbosity to ${text}`);
}

function levelFault(text: string): string | undefined {
  const failed = (reason: string): string => `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${reason}`;
  if (!/^\d+$/.test(text)) return failed("invalid syntax");
  return Number(text) > MOST ? failed("value out of range") : undefined;
}

const INDEX = Buffer.from(`<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`);

const answer = (request: ApiRequest, status: number, text: string): Promise<void> =>
  respondBytes(request, status, { "content-type": "text/plain" }, Buffer.from(`${text}\n`));
