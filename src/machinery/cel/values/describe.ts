import { Double, Uint, type Value } from "./value.js";

/** A value in a message, as Go's `%v` prints it. */
export function describeValue(value: Value): string {
  if (value instanceof Double) return describeDouble(value.value);
  if (value instanceof Uint) return value.value.toString();
  return String(value);
}

function describeDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e21) return String(value);
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
