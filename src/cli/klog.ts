/**
 * A line as klog writes it to stderr, in local time:
 * `E1121 07:00:08.408700    4235 memcache.go:265] "Unhandled Error" err="..."`.
 */
export function klogLine(severity: "I" | "W" | "E", source: string, message: string, now: Date, pid = 1): string {
  const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
  const date = `${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}:${pad(now.getSeconds())}.${pad(now.getMilliseconds(), 3)}000`;
  return `${severity}${date} ${time} ${String(pid).padStart(7)} ${source}] ${message}\n`;
}
