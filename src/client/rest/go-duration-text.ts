/** Formats milliseconds as Go prints a duration: "32s", "1m30s", "1.5s", "500ms". */
export function goDurationText(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  if (milliseconds < 0) return `-${goDurationText(-milliseconds)}`;
  if (milliseconds < 1)
    return milliseconds < 1e-3 ? `${round(milliseconds * 1e6)}ns` : `${round(milliseconds * 1e3)}µs`;
  if (milliseconds < 1000) return `${round(milliseconds)}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = `${round((milliseconds % 60_000) / 1000)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

function round(value: number): number {
  return Number(value.toFixed(9));
}
