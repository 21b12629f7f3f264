/**
 * Sets the clock of the tests' process ahead by MLCLI_TEST_CLOCK_OFFSET seconds, as a module that Deno
 * loads before each test module. Clocks of the engine, of files and of other programs stay.
 */

const OFFSET = Number(Deno.env.get("MLCLI_TEST_CLOCK_OFFSET")) * 1_000;

const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + OFFSET] : args, newTarget),
  apply: (target) => new target(target.now() + OFFSET).toString(),
  get: (target, key) =>
    key === "now" ? () => target.now() + OFFSET : Reflect.get(target, key) as unknown,
});
