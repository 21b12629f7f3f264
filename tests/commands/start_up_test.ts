import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { it, suite } from "../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** What `deno info --json` says of a module, as far as it matters here. */
interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly isDynamic?: boolean;
    readonly code?: { readonly specifier?: string };
  }[];
}

interface Graph {
  readonly roots: readonly string[];
  readonly redirects: Readonly<Record<string, string>>;
  readonly modules: readonly Module[];
}

/** The modules that run before `main` does, own ones by their path. */
async function loadedAtStart(): Promise<string[]> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", `${ROOT}deno.json`, `${ROOT}main.ts`],
    stdin: "null",
    stderr: "null",
    signal: AbortSignal.timeout(60_000),
  }).output();
  assertEquals(code, 0);
  const { roots, redirects, modules }: Graph = JSON.parse(new TextDecoder().decode(stdout));
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const found = new Set<string>();
  const open = [...roots];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const specifier = redirects[next] ?? next;
    if (found.has(specifier)) continue;
    found.add(specifier);
    for (const { isDynamic, code } of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier) open.push(code.specifier);
    }
  }
  const own = new URL("../../", import.meta.url).href;
  return [...found].map((specifier) => specifier.replace(own, "")).sort();
}

suite("start-up", () => {
  it("loads the tree of commands, and none of the commands", async () => {
    const loaded = await loadedAtStart();
    assertEquals(loaded.filter((path) => /^(commands|runtime)\//.test(path)), [
      "commands/cliffy/command_line.ts",
      "commands/cliffy/run.ts",
      "commands/cloud/cloud.ts",
      "commands/command.ts",
      "commands/options/option.ts",
      "commands/options/standard.ts",
      "commands/root.ts",
      "commands/usage.ts",
      "runtime/context.ts",
      "runtime/contract/region.ts",
      "runtime/errors.ts",
      "runtime/messages.ts",
      "runtime/person.ts",
      "runtime/streams.ts",
      "runtime/terminal_filter.ts",
      "runtime/text.ts",
      "runtime/time.ts",
    ]);
    // Cliffy costs 10 ms, a module of Deno's node layer 5 to 17 ms, @std/path 8 ms.
    const costly = /^(node|npm):|\/@(std\/path|cliffy)\//;
    assertEquals(loaded.filter((path) => costly.test(path)), []);
  });
});
