import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join, relative } from "@std/path";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** A production module: its path from the root, what it imports, and its text without comments. */
interface Module {
  readonly path: string;
  /** Paths from the root, or bare specifiers. */
  readonly imports: readonly string[];
  readonly code: string;
}

async function* typescriptBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(ROOT, folder))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* typescriptBelow(path);
    else if (path.endsWith(".ts")) yield path;
  }
}

async function readModule(path: string): Promise<Module> {
  const text = await Deno.readTextFile(join(ROOT, path));
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const specifiers = [...code.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, s]) => s!);
  const imports = specifiers.map((specifier) =>
    specifier.startsWith(".")
      ? relative(ROOT, join(ROOT, dirname(path), specifier)).replaceAll("\\", "/")
      : specifier
  );
  return { path, imports, code };
}

async function production(): Promise<Module[]> {
  const paths = ["main.ts"];
  for (const folder of ["commands", "runtime"]) {
    for await (const path of typescriptBelow(folder)) paths.push(path.replaceAll("\\", "/"));
  }
  return await Promise.all(paths.map(readModule));
}

/** From where nothing may be imported by what lies there. */
const FORBIDDEN: readonly (readonly [folder: string, imported: RegExp])[] = [
  ["", /^(fixtures|tests|scripts)\//],
  ["commands/", /^main\.ts$/],
  ["runtime/", /^(main\.ts$|commands\/)/],
  ["runtime/", /^@cliffy\//],
  // The checks of mlcli doctor look at all the others, and none of these at them.
  ...["docker", "platform", "project", "containers", "image"].map((folder) =>
    [`runtime/${folder}/`, /^runtime\/doctor\//] as const
  ),
  ["runtime/docker/", /^runtime\/(platform|project|containers|image)\//],
  ["runtime/platform/", /^runtime\/(docker|project|containers|image)\//],
  ["runtime/project/", /^runtime\/(docker|platform|containers|image)\//],
  ["runtime/containers/", /^runtime\/(platform|image)\//],
  ["runtime/image/", /^runtime\/(platform|containers)\//],
];

suite("architecture", () => {
  it("finds the modules and what they import", async () => {
    const main = (await production()).find((module) => module.path === "main.ts");
    assert(main?.imports.includes("commands/root.ts"));
    assert(main?.imports.includes("@cliffy/command"));
  });

  it("imports go one way", async () => {
    const wrong = (await production()).flatMap(({ path, imports }) =>
      FORBIDDEN.filter(([folder]) => path.startsWith(folder)).flatMap(([, forbidden]) =>
        imports.filter((imported) => forbidden.test(imported))
          .map((imported) => `${path} imports ${imported}`)
      )
    );
    assertEquals(wrong, []);
  });

  it("only runtime/platform/sdk.ts imports the AWS SDK", async () => {
    const wrong = (await production()).filter(({ path, imports }) =>
      path !== "runtime/platform/sdk.ts" &&
      imports.some((imported) => /^(npm:)?@aws-sdk\//.test(imported))
    );
    assertEquals(wrong.map(({ path }) => path), []);
  });

  for (
    const [what, pattern, where] of [
      ["ends the process or prints", /\bDeno\.(exit|exitCode|args)\b|\bconsole\.\w+\(/, []],
      ["touches streams or variables", /\bDeno\.(env|stdin|stdout|stderr)\b/, [
        "runtime/streams.ts",
      ]],
    ] as const
  ) {
    it(`nothing but main and the context ${what}`, async () => {
      const allowed: readonly string[] = ["main.ts", "runtime/context.ts", ...where];
      const wrong = (await production()).filter(({ path, code }) =>
        !allowed.includes(path) && pattern.test(code)
      );
      assertEquals(wrong.map(({ path }) => path), []);
    });
  }
});
