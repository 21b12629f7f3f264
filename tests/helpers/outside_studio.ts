/**
 * Loaded before the program (`--preload`) where the tests run in SageMaker Studio: it does not find
 * the file by which it would know that. What it does there has tests of its own.
 */

const read = Deno.readTextFileSync;

Deno.readTextFileSync = (path) => {
  if (String(path).startsWith("/opt/ml/metadata/")) throw new Deno.errors.NotFound();
  return read(path);
};
