/** Where Deno keeps what it downloaded. */

/** By its variables; below HOME, if that is not another one in a test. */
export function denoDirectory(): string {
  const { env } = Deno;
  return env.get("DENO_DIR") ?? `${env.get("XDG_CACHE_HOME") ?? `${env.get("HOME")}/.cache`}/deno`;
}
