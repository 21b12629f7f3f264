/** Runs `mlcli COMMAND --help` for each command. Prints the errors, and exits with 1 if there is one. */

import { main as mlcli } from "../../main.ts";
import { commandPaths } from "./command_paths.ts";
import { fakeContext } from "./fake_context.ts";

async function main(): Promise<void> {
  let errors = "";
  for (const names of await commandPaths()) {
    const context = fakeContext();
    const code = await mlcli([...names, "--help"], context);
    if (code !== 0) errors += `mlcli ${names.join(" ")} --help: ${context.err.text}`;
  }
  Deno.stderr.writeSync(new TextEncoder().encode(errors));
  Deno.exit(errors === "" ? 0 : 1);
}

if (import.meta.main) main();
