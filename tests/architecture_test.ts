import { assert, assertEquals } from "@std/assert";
import { basename, dirname, fromFileUrl, join, relative, toFileUrl } from "@std/path";
import cloudGroup from "../commands/cloud/cloud.ts";
import { type Command, type Group, isGroup } from "../commands/command.ts";
import { commandPaths, declarationOf } from "./helpers/command_paths.ts";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** A production module: its path from the root, its imports, and its text without comments. */
interface Module {
  readonly path: string;
  /** Paths from the root, or bare specifiers. */
  readonly imports: readonly string[];
  /** Imports that are loaded before the module runs. */
  readonly earlyImports: readonly string[];
  readonly code: string;
}

/** Whether the module declares commands. */
function isDeclaration({ path, code }: Module): boolean {
  return path.startsWith("commands/") && /\b(command|appCommand)\(\{/.test(code);
}

async function* typescriptBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(ROOT, folder))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* typescriptBelow(path);
    else if (/\.tsx?$/.test(path)) yield path;
  }
}

async function readModule(path: string): Promise<Module> {
  const text = await Deno.readTextFile(join(ROOT, path));
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const imported = (pattern: RegExp): string[] =>
    [...code.matchAll(pattern)].map(([, specifier = ""]) =>
      specifier.startsWith(".")
        ? relative(ROOT, join(ROOT, dirname(path), specifier)).replaceAll("\\", "/")
        : specifier
    );
  return {
    path,
    imports: imported(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g),
    earlyImports: imported(/^(?:import|export) (?!type )(?:[^;]*?\bfrom )?"([^"]+)"/gm),
    code,
  };
}

async function production(): Promise<Module[]> {
  const paths = ["main.ts"];
  for (const folder of ["commands", "runtime"]) {
    for await (const path of typescriptBelow(folder)) paths.push(path.replaceAll("\\", "/"));
  }
  return await Promise.all(paths.map(readModule));
}

/** Folders of the runtime, with the folders that each can import from. */
const MAY_KNOW: Readonly<Record<string, readonly string[]>> = {
  // Python.
  harness: [],
  contract: [],
  app: ["contract"],
  // Messages of HTTP/1.1: of an engine, of a server and of its clients.
  http: [],
  docker: ["contract", "http"],
  aws: ["contract", "http"],
  image: ["app", "contract", "docker", "archive"],
  // The directory and the archive of a model, for local and cloud.
  model: ["app", "contract", "archive"],
  archive: ["contract"],
  // The user's code, as local and cloud send it.
  source: ["app", "contract", "archive"],
  // Projects that `init --from` converts.
  origin: ["app", "contract", "archive", "image", "source"],
  // A server in a container on this machine, and whether it is ready.
  serving: ["contract", "docker", "http"],
  // Requests to a model and their responses, for local and cloud.
  invocation: ["contract"],
  // The program for the browser.
  page: [],
  local: [
    ...["app", "contract", "docker", "http", "model", "archive", "source", "serving"],
    ...["invocation", "page"],
  ],
  cloud: ["app", "contract", "aws", "model", "archive", "source", "invocation"],
  // Imports from all other folders, which do not import from it.
  doctor: [
    ...[
      "app",
      "contract",
      "docker",
      "aws",
      "image",
      "model",
      "archive",
      "serving",
      "source",
      "local",
      "cloud",
    ],
  ],
};

/** Subfolders, with further folders that each can import from. */
const MAY_KNOW_MORE: Readonly<Record<string, readonly string[]>> = {
  // Converts jobs and endpoints into apps.
  "cloud/origin": ["origin", "image"],
  // Pushes with the engine.
  "cloud/push": ["docker"],
  // Compares resources on SageMaker with local ones, and tests them locally.
  "cloud/preflight": ["docker", "serving"],
};

/** Imports that modules in a folder must not have. */
const FORBIDDEN: readonly (readonly [folder: string, imported: RegExp])[] = [
  ["", /^(fixtures|tests|scripts)\//],
  ["commands/", /^main\.ts$/],
  ["runtime/", /^(main\.ts$|commands\/)/],
];

const SCRIPT = "completions.ts declares all scripts: they differ only in the shell";

/** Commands that their group's file declares. */
const IN_GROUP: Readonly<Record<string, string>> = {
  "completions bash": SCRIPT,
  "completions zsh": SCRIPT,
  "completions fish": SCRIPT,
  "completions powershell": SCRIPT,
};

/** Returns the file of a command: `commands/local/list_jobs.ts` for `mlcli local list-jobs`. */
function fileOf(names: readonly string[], declared: Command | Group): string {
  const folders = [...names];
  if (isGroup(declared)) folders.push(folders.at(-1)!);
  else if (Object.hasOwn(cloudGroup.commands, names[0]!)) folders.unshift("cloud");
  return `commands/${folders.join("/").replaceAll("-", "_")}.ts`;
}

/** Whether a module of the runtime imports from a folder that its own folder must not import from. */
function knowsTooMuch(path: string, imported: string): boolean {
  const [, folder = ""] = /^runtime\/([^/]+)\//.exec(path) ?? [];
  const [, other = ""] = /^runtime\/([^/]+)\//.exec(imported) ?? [];
  const known = MAY_KNOW[folder];
  if (known === undefined || other === "" || other === folder) return false;
  const more = Object.entries(MAY_KNOW_MORE).filter(([below]) =>
    path.startsWith(`runtime/${below}/`)
  ).flatMap(([, folders]) => folders);
  return ![...known, ...more].includes(other);
}

/** The modules of each circle of imports, sorted. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map<string, ReadonlySet<string>>();
  for (const start of imports.keys()) {
    const seen = new Set<string>();
    const open = [...imports.get(start)!];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      open.push(...imports.get(path) ?? []);
    }
    reached.set(start, seen);
  }
  const inCircles = [...imports.keys()].filter((path) => reached.get(path)!.has(path)).sort();
  const groups = new Map<string, string[]>();
  for (const path of inCircles) {
    const group = inCircles.filter((other) =>
      reached.get(path)!.has(other) && reached.get(other)!.has(path)
    );
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}

suite("architecture", () => {
  it("finds the modules and what they import", async () => {
    const main = (await production()).find((module) => module.path === "main.ts");
    assert(main?.imports.includes("commands/root.ts"));
    assert(main?.imports.includes("commands/cliffy/run.ts"));
  });

  it("each imported module exists, also one that is imported late, which deno check does not check", async () => {
    const modules = await production();
    const paths = new Set(modules.map(({ path }) => path));
    const wrong = modules.flatMap(({ path, imports }) =>
      imports.filter((imported) => /^(runtime|commands|main)\b/.test(imported))
        .filter((imported) => !paths.has(imported)).map((imported) => `${path} imports ${imported}`)
    );
    assertEquals(wrong, []);
  });

  it("imports go one way", async () => {
    const wrong = (await production()).flatMap(({ path, imports }) =>
      imports.filter((imported) =>
        knowsTooMuch(path, imported) ||
        FORBIDDEN.some(([folder, forbidden]) => path.startsWith(folder) && forbidden.test(imported))
      ).map((imported) => `${path} imports ${imported}`)
    );
    assertEquals(wrong, []);
  });

  for (
    const [path, imported, isTooMuch] of [
      ["runtime/cloud/train.ts", "runtime/docker/engine.ts", true],
      ["runtime/cloud/push/push.ts", "runtime/docker/engine.ts", false],
      ["runtime/cloud/push/push.ts", "runtime/local/plan.ts", true],
      ["runtime/cloud/pushes.ts", "runtime/docker/engine.ts", true],
      ["runtime/local/train.ts", "runtime/docker/engine.ts", false],
      ["runtime/app/app.ts", "runtime/contract/jobs.ts", false],
      ["runtime/contract/jobs.ts", "runtime/app/app.ts", true],
      ["runtime/app/app.ts", "runtime/errors.ts", false],
      ["runtime/context.ts", "runtime/aws/aws.ts", false],
    ] as const
  ) {
    it(`${path} may ${isTooMuch ? "not " : ""}import ${imported}`, () => {
      assertEquals(knowsTooMuch(path, imported), isTooMuch);
    });
  }

  it("MAY_KNOW has a rule for each folder of the runtime", async () => {
    const folders = await Array.fromAsync(Deno.readDir(join(ROOT, "runtime")));
    assertEquals(
      folders.filter((entry) => entry.isDirectory).map(({ name }) => name).sort(),
      Object.keys(MAY_KNOW).sort(),
    );
  });

  it("modules do not import each other in a cycle", async () => {
    const modules = await production();
    assertEquals(circles(new Map(modules.map(({ path, imports }) => [path, imports]))), []);
  });

  it("each command is the default export of the file that its path names", async () => {
    const commands = new Map((await commandPaths()).map((names) => [names.join(" "), names]));
    commands.delete("");
    assertEquals(Object.keys(IN_GROUP).filter((name) => !commands.has(name)), []);
    for (const names of commands.values()) {
      if (Object.hasOwn(IN_GROUP, names.join(" "))) continue;
      const declared = await declarationOf(names);
      const file = fileOf(names, declared);
      const loaded = await import(toFileUrl(join(ROOT, file)).href).catch((error) => error);
      assert(loaded.default === declared, `mlcli ${names.join(" ")} is not declared in ${file}`);
    }
  });

  it("only commands/cliffy/ imports Cliffy", async () => {
    const importers = (await production()).filter(({ imports }) =>
      imports.some((imported) => /^((npm|jsr):)?@cliffy\//.test(imported))
    ).map(({ path }) => path);
    assert(importers.includes("commands/cliffy/tree.ts"));
    assertEquals(importers.filter((path) => !path.startsWith("commands/cliffy/")), []);
  });

  it("a file that declares commands does not statically import the modules that commands run", async () => {
    const declarations = (await production()).filter(isDeclaration);
    assert(declarations.length > 10);
    const wrong = declarations.flatMap(({ path, earlyImports }) =>
      earlyImports.filter((imported) =>
        // The parser of an option.
        imported !== "runtime/image/build_arguments.ts" &&
        /^runtime\/(?!app\/|contract\/)\w+\/|^commands\/render\//.test(imported)
      ).map((imported) => `${path} imports ${imported}`)
    );
    assertEquals(wrong, []);
  });

  it("only runtime/messages.ts and main.ts print messages; the others call Messages", async () => {
    const imported =
      /(\{[^{}]*\}|\* as \w+|\w+) (?:from|= await import\() ?"(?:\.\.?\/)+(?:runtime\/)?messages\.ts"/g;
    const wrong = (await production()).flatMap(({ path, code }) =>
      [...code.matchAll(imported)].flatMap(([, names = ""]) =>
        names.match(/^[^{]+|\b(?:tell|(?:note|warning|error|hint)Text)\b/g) ?? []
      ).map((name) => `${path} imports ${name}`)
    );
    assertEquals(wrong.filter((text) => !text.startsWith("main.ts ")), []);
  });

  it("the contract is pure", async () => {
    const wrong = (await production()).filter(({ path, code }) =>
      path.startsWith("runtime/contract/") &&
      /\b(Deno|fetch|setTimeout|Date|performance)\b/.test(code)
    );
    assertEquals(wrong.map(({ path }) => path), []);
  });

  it("each module of the contract has a table beside it", async () => {
    const below = async (folder: string, end: string) =>
      (await Array.fromAsync(typescriptBelow(folder))).map((path) => basename(path, end)).sort();
    // Of types alone, the type check says all.
    const types = (await production()).filter(({ path, code }) =>
      path.startsWith("runtime/contract/") && !/^export (?!interface|type)/m.test(code)
    ).map(({ path }) => basename(path, ".ts"));
    assertEquals(
      [...await below("tests/runtime/contract", "_test.ts"), ...types].sort(),
      await below("runtime/contract", ".ts"),
    );
  });

  it("passes replace() a function if the replacement holds a value, in which $' would have a meaning", async () => {
    const byText = /\.replace(?:All)?\((?:[^()`]|\([^()]*\))*,\s*`[^`]*\$\{/;
    const modules = (await production()).filter(({ code }) => byText.test(code));
    assertEquals(modules.map(({ path }) => path), []);
  });

  it("only runtime/aws/ imports the AWS SDK", async () => {
    const wrong = (await production()).filter(({ path, imports }) =>
      !path.startsWith("runtime/aws/") &&
      imports.some((imported) => /^(npm:)?@aws-sdk\//.test(imported))
    );
    assertEquals(wrong.map(({ path }) => path), []);
  });

  it("only the page's program imports its packages, and it does not use Deno", async () => {
    // Besides its own modules it knows those of text and quantities, which import nothing.
    const isPage = (path: string): boolean =>
      path.startsWith("runtime/page/") && path !== "runtime/page/document.ts" ||
      /^runtime\/(text|quantities)\.ts$/.test(path);
    const wrong = (await production()).filter(({ path, imports, code }) =>
      isPage(path)
        ? /\bDeno\./.test(code) ||
          imports.some((one) => !isPage(one) && !/^(preact|preact\/hooks|uplot)$/.test(one))
        : imports.some((one) => /^(npm:)?(preact|uplot)/.test(one))
    );
    assertEquals(wrong.map(({ path }) => path), []);
  });

  it("code uses joinSignals instead of AbortSignal.any, which Deno 2.6 loses", async () => {
    const all = [
      ...await production(),
      ...await Array.fromAsync(typescriptBelow("scripts"), readModule),
    ];
    const wrong = all.filter(({ code }) => /AbortSignal\.any\(/.test(code));
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
