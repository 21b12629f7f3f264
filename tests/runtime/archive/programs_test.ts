import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { unpackModel } from "../../../runtime/archive/unpack.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

/** More than a header has room for, and more than its prefix has. */
const LONG = "long-".repeat(30);
const LONGER = `${LONG}/${LONG}/${"file-".repeat(45)}`;

/** A model's directory: files of many kinds, a file with a hole, links, an empty directory. */
async function makeModel(withOddNames: boolean): Promise<TestDirectory> {
  const directory = await makeDirectory({
    "model/model.json": '{"weights": [1, 2]}',
    "model/code/inference.py": "print(1)\n",
    "model/empty": "",
    "model/nothing/": "",
    [`model/${LONG.slice(0, 90)}/m`]: "in a prefix",
    ...(withOddNames
      ? { [`model/${LONGER}`]: "long", "model/ünï cödé 模型/a b": "u", "model/line\nbreak": "" }
      : {}),
  });
  const path = (name: string) => join(directory.path, "model", name);
  await Deno.chmod(path("code/inference.py"), 0o755);
  await Deno.symlink("../model.json", path("code/link"));
  await Deno.link(path("model.json"), path("same"));
  using file = await Deno.open(path("weights.bin"), { write: true, create: true });
  for (const [offset, text] of [[0, "begin"], [1_000_000, "middle"], [2_500_000, "end"]] as const) {
    await file.seek(offset, Deno.SeekMode.Start);
    await file.write(new TextEncoder().encode(text));
  }
  await file.truncate(3_000_000);
  return directory;
}

/** Type, permissions and content of everything in a directory, by the system's own programs. */
async function listing(directory: string): Promise<string> {
  const command = "find . ! -name . -printf '%P\\t%y\\t%m\\t%l\\n' | sort; " +
    "find . -type f -print0 | sort -z | xargs -0 sha256sum";
  return await output("sh", ["-c", command], directory);
}

async function output(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { LC_ALL: "C.UTF-8" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const python = (add: string, format: string): readonly string[] => [
  "python3",
  "-c",
  `import os, tarfile
with tarfile.open("model.tar.gz", "w:gz", format=tarfile.${format}_FORMAT) as archive:
    ${add}`,
];
const EACH = 'for name in os.listdir("model"): archive.add("model/" + name, arcname=name)';

/** What packs models, and whether it takes names of any length and alphabet. */
const PACKERS: readonly (readonly [title: string, command: readonly string[], odd: boolean])[] = [
  ["Python's tarfile", python(EACH, "PAX"), true],
  ["Python's tarfile in GNU's format", python(EACH, "GNU"), true],
  ["Python's tarfile in the format of 1988", python(EACH, "USTAR"), false],
  ["the SageMaker SDK", python('archive.add("model", arcname=os.path.sep)', "PAX"), true],
  ...["gnu", "posix", "oldgnu"].map((format) =>
    [`GNU tar, ${format}`, ["tar", `--format=${format}`, "-czf", "model.tar.gz"], true] as const
  ),
  ["GNU tar, ustar", ["tar", "--format=ustar", "-czf", "model.tar.gz"], false],
  ["GNU tar, v7", ["tar", "--format=v7", "-czf", "model.tar.gz"], false],
  ["GNU tar, sparse", ["tar", "--format=posix", "--sparse", "-czf", "model.tar.gz"], true],
];

// There, both programs are at hand, and `find` is GNU's. The rest is for all systems.
if (Deno.build.os === "linux") declareTests();

function declareTests(): void {
  suite("unpackModel takes an archive of", () => {
    for (const [title, [program, ...args], odd] of PACKERS) {
      it(title, async () => {
        await using directory = await makeModel(odd);
        const more = program === "tar" ? ["-C", "model", "."] : [];
        await output(program!, [...args, ...more], directory.path);
        const target = join(directory.path, "target");
        const archive = join(directory.path, "model.tar.gz");
        await unpackModel(archive, target, archive, new AbortController().signal);
        assertEquals(await listing(target), await listing(join(directory.path, "model")));
      });
    }
  });
}
