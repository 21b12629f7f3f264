import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import configuration from "../../../deno.json" with { type: "json" };
import { MlcliError } from "../../../runtime/errors.ts";
import { bundled, withDeepImports, withLazyRequire } from "../../../scripts/compile/bundle.ts";
import {
  BUNDLER,
  checkBundler,
  LOCK_FILE,
  resolveLocked,
} from "../../../scripts/compile/locked.ts";
import { stageProgram } from "../../../scripts/compile/stage.ts";
import { afterAll, beforeAll, it, suite } from "../../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));
const LOCK = join(ROOT, LOCK_FILE);

/** A package that only a command's dynamic import leads to, and that others depend on. */
const DEEP = "@smithy/core@";

/** One that the program asks for itself. */
const ASKED = configuration.imports["@aws-sdk/client-sagemaker"];

suite("a binary's packages", () => {
  let work = "";
  let stage = "";
  let runs = 0;

  beforeAll(async () => {
    work = await Deno.makeTempDir({ prefix: "mlcli-test-bundle-" });
    stage = join(work, "source");
    await Deno.mkdir(stage);
    await stageProgram(ROOT, stage, "0123456789ab", new AbortController().signal);
  });
  afterAll(async () => await Deno.remove(work, { recursive: true }));

  /** Resolves with a changed lock file, into a directory of its own. */
  async function resolve(change: (lock: string) => string): Promise<void> {
    const lock = await Deno.readTextFile(LOCK);
    await Deno.writeTextFile(join(stage, "deno.lock"), change(lock));
    await resolveLocked(stage, join(work, `cache-${++runs}`), AbortSignal.timeout(120_000));
  }

  async function refusal(change: (lock: string) => string): Promise<string> {
    const error = await assertRejects(() => resolve(change), MlcliError);
    return `${error.message}\n${error.quote}\n${error.hint}`;
  }

  it("are those that the lock file names, and what bundles them", async () => {
    await Deno.copyFile(LOCK, join(stage, "deno.lock"));
    const cache = join(work, "cache");
    const signal = AbortSignal.timeout(120_000);
    const { directory, main } = await bundled(stage, join(work, "bundle"), cache, signal);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-remote", "--no-npm", join(directory, main), "--version"],
      cwd: directory,
    }).output();
    assertEquals(code, 0);
    assertStringIncludes(new TextDecoder().decode(stdout), "(commit 0123456789ab, Deno ");
    // Unchanged, so complete.
    assertEquals(await Deno.readTextFile(join(stage, "deno.lock")), await Deno.readTextFile(LOCK));
    // Something else in its place is noticed.
    for (const { name } of Deno.readDirSync(join(cache, "dl"))) {
      for (const file of Deno.readDirSync(join(cache, "dl", name))) {
        await Deno.writeTextFile(join(cache, "dl", name, file.name), "other");
      }
    }
    await assertRejects(() => checkBundler(cache), MlcliError, `which is not ${BUNDLER}`);
  });

  it("are refused with another content than the lock file names", async () => {
    const text = await refusal((lock) => {
      const at = lock.indexOf('"sha512-', lock.indexOf(`"${DEEP}`)) + '"sha512-'.length;
      return `${lock.slice(0, at)}AAAAAAAA${lock.slice(at + 8)}`;
    });
    assertStringIncludes(text, `Failed caching npm package '${DEEP}`);
    assertStringIncludes(text, "Expected: AAAAAAAA");
    assertStringIncludes(text, "is not to be accepted");
  });

  it("are refused where the lock file does not name them", async () => {
    const text = await refusal((lock) => {
      const changed = lock.replace(new RegExp(`^ +"${ASKED}": .*,\n`, "m"), "");
      assertEquals(changed.length < lock.length, true);
      return changed;
    });
    assertStringIncludes(text, "The lockfile is out of date");
    assertStringIncludes(text, "`deno task lock`");
  });

  it("are locked for what deno.json asks for today", async () => {
    const { workspace } = JSON.parse(await Deno.readTextFile(LOCK));
    const asked = Object.values(configuration.imports).map(withoutZeros);
    assertEquals([...workspace.dependencies].map(withoutZeros).sort(), asked.sort());
  });

  it("come from no registry that the lock file names", async () => {
    assertEquals((await Deno.readTextFile(LOCK)).match(/https?:|tarball|registry/g), null);
  });
});

/** Deno writes `^1.0.0` as `1`. */
function withoutZeros(specifier: string): string {
  return specifier.replace(/@\^(\d+)\.0\.0$/, "@$1");
}

suite("withDeepImports", () => {
  it("names the files of a client, without types, and leaves everything else", () => {
    const rest = 'export type { X } from "@aws-sdk/client-sagemaker";\n' +
      'import { fromEnv } from "@aws-sdk/credential-provider-env";\n';
    const source =
      `import {\n  type EndpointStatus,\n  ListEndpointsCommand,\n  SageMakerClient,\n} ` +
      `from "@aws-sdk/client-sagemaker";\n${rest}`;
    assertEquals(
      withDeepImports(source),
      "import { ListEndpointsCommand } from " +
        '"@aws-sdk/client-sagemaker/dist-es/commands/ListEndpointsCommand.js";\n' +
        'import { SageMakerClient } from "@aws-sdk/client-sagemaker/dist-es/SageMakerClient.js";\n' +
        rest,
    );
  });

  it("leaves a file without a client", () => {
    assertEquals(withDeepImports('import "x";'), 'import "x";');
  });

  it("fails where a client is imported in another way", () => {
    for (
      const how of ['import * as s3 from "@aws-sdk/client-s3";', 'import("@aws-sdk/client-s3")']
    ) {
      assertThrows(() => withDeepImports(how), Error, "as a whole");
    }
  });
});

suite("withLazyRequire", () => {
  it("asks Deno for a module of Node's when it is required", () => {
    const shim = (require: string) => `var i = Object.keys;\n${require}\nvar n = 1;\n`;
    assertEquals(
      withLazyRequire(shim(
        'import { createRequire as __deno } from "node:module";\n' +
          "var m = __deno(import.meta.url);",
      )),
      shim("var m = (name) => process.getBuiltinModule(name);"),
    );
  });

  it("leaves other code", () => {
    const code = 'import { createRequire as x } from "other";\nvar m = x(import.meta.url);';
    assertEquals(withLazyRequire(code), code);
  });
});
