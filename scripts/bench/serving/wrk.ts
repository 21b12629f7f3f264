/** What wrk reports: https://github.com/wg/wrk. */

/** What is taken from a report. */
export interface WrkReport {
  readonly requestsPerSecond: number;
  /** 99 of 100 answers came within this time, in ms. */
  readonly p99: number;
}

/** Microseconds to minutes, in ms. */
const UNITS = { us: 0.001, ms: 1, s: 1_000, m: 60_000 } as const;

/** The command that sends bodies: small ones, unless a script says which. */
export function wrk(
  connections: number,
  url: string,
  { script = "/bench/request.lua", seconds = 3 } = {},
): readonly string[] {
  const load = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "--latency"];
  return ["wrk", ...load, "-s", script, url];
}

/**
 * Reads a report of `wrk --latency`.
 *
 * @throws Error when an answer was none: errors are fast.
 */
export function parseReport(report: string): WrkReport {
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(report)?.[1];
  const [, p99, unit] = /^\s+99%\s+([\d.]+)(us|ms|s|m)\s*$/m.exec(report) ?? [];
  if (!rate || !p99 || /Non-2xx|Socket errors/.test(report)) {
    throw new Error(`Not all requests were answered: ${report}`);
  }
  return { requestsPerSecond: Number(rate), p99: Number(p99) * UNITS[unit as keyof typeof UNITS] };
}
