/** Values as they are read. */

/** Six digits tell two values of a curve apart. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** How long something takes, in its two largest units: `0.25s`, `12s`, `1m 05s`, `2h 03m`. */
export function spanText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.floor(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${twoDigits(seconds % 60)}s`
    : `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}
