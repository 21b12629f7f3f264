import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import {
  boundaryOf,
  escapeOf,
  PUT_IT_THERE,
  requireInside,
} from "../../../runtime/app/confinement.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { replaced } from "../../helpers/replaced.ts";
import { it, suite } from "../../helpers/suite.ts";

const STRANGER = 12_345;

/** Whether files can be given to somebody else. */
const isRoot = Deno.uid() === 0;

/** Where the boundary of `top/middle/app` is, given what lies above. */
const BOUNDARIES: readonly {
  readonly name: string;
  readonly files: readonly string[];
  readonly boundary: string;
  /** Who owns something; others are the caller's. */
  readonly owners?: Readonly<Record<string, number>>;
}[] = [
  { name: "no repository", files: [], boundary: "top/middle/app" },
  { name: "its own", files: ["top/middle/app/.git/HEAD"], boundary: "top/middle/app" },
  { name: "one above", files: ["top/.git/HEAD"], boundary: "top" },
  {
    name: "the nearest of two",
    files: ["top/.git/HEAD", "top/middle/.git/HEAD"],
    boundary: "top/middle",
  },
  { name: "a file, as in a submodule", files: ["top/middle/.git"], boundary: "top/middle" },
  {
    name: "a directory without HEAD is none",
    files: ["top/.git/HEAD", "top/middle/.git/config"],
    boundary: "top",
  },
  { name: "another name is none", files: ["top/git/HEAD"], boundary: "top/middle/app" },
  {
    name: "a stranger's in one's own directory is none",
    files: ["top/.git/HEAD"],
    owners: { "top": STRANGER, "top/.git": STRANGER + 1 },
    boundary: "top/middle/app",
  },
  {
    name: "a stranger's file is none",
    files: ["top/.git"],
    owners: { "top": STRANGER, "top/.git": STRANGER + 1 },
    boundary: "top/middle/app",
  },
  {
    name: "the directory's owner's is one",
    files: ["top/.git/HEAD"],
    owners: { "top": STRANGER, "top/.git": STRANGER },
    boundary: "top",
  },
  {
    name: "root's is one anywhere",
    files: ["top/.git/HEAD"],
    owners: { "top": STRANGER, "top/.git": 0 },
    boundary: "top",
  },
];

suite("boundaryOf", () => {
  for (const { name, files, boundary, owners = {} } of BOUNDARIES) {
    it(name, async () => {
      await using directory = await makeDirectory({ "top/middle/app/": "" });
      await directory.write(Object.fromEntries(files.map((file) => [file, "x"])));
      if (!isRoot && Object.keys(owners).length > 0) return;
      for (const [path, uid] of Object.entries(owners)) {
        await Deno.chown(join(directory.path, path), uid, null);
      }
      const app = join(directory.path, "top/middle/app");
      assertEquals(await boundaryOf(app), join(directory.path, boundary));
    });
  }

  it("is real, where a link leads to the directory", async () => {
    await using directory = await makeDirectory({ "real/.git/HEAD": "", "real/app/": "" });
    await Deno.symlink("real/app", join(directory.path, "link"));
    assertEquals(await boundaryOf(join(directory.path, "link")), join(directory.path, "real"));
  });

  const closed = [
    ["a closed repository is somebody's", new Deno.errors.PermissionDenied(), "top"],
    ["what else the system refuses is an error", new Error("(os error 5)"), undefined],
  ] as const;
  for (const [name, refusal, boundary] of closed) {
    it(name, async () => {
      await using directory = await makeDirectory({ "top/app/": "", "top/.git/HEAD": "" });
      const { lstatSync } = Deno;
      using _deno = replaced(Deno, {
        lstatSync(path: string) {
          if (path.endsWith("HEAD")) throw refusal;
          return lstatSync(path);
        },
      });
      const found = await boundaryOf(join(directory.path, "top/app")).catch((error) => error);
      assertEquals(found, boundary ? join(directory.path, boundary) : refusal);
    });
  }

  it("fails where the directory is not there", async () => {
    await assertRejects(() => boundaryOf("/nonexistent/app"), Deno.errors.NotFound);
  });
});

/** What lies around an app in DIR/repo/app; what a link is and what it leads to. */
const FILES = {
  "repo/app/file": "",
  "repo/app/.env": "",
  "repo/app/folder/.git/config": "",
  "repo/data/file": "",
  ...Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`repo/keys/${name}`, ""])),
  "repo/keys/deep/id_rsa": "",
  "repo/templates/.env.example": "",
  "repo/templates/.env.SAMPLE": "",
  "repo/templates/deep/.env.dist": "",
  "repo/.ssh/config": "",
  "repo/..x/file": "",
  "repo/copies/.env.example.bak": "",
  "outside/file": "",
  "repository/file": "",
};

/** Where a link `link` in the app leads, and what is wrong with it. */
const LINKS: readonly (readonly [name: string, target: string, words?: string])[] = [
  ["a file beside it", "file"],
  ["a file in the repository", "../data/file"],
  ["a directory in the repository", "../data"],
  ["the repository's top, which is not private where nothing in it is", "../data/../data"],
  ["an absolute path within", "DIR/repo/data/file"],
  ["nothing, within", "../data/nothing"],
  ["a name that begins as one that leads out", "../..x/file"],
  ["templates of what is private", "../templates"],
  ["a file outside", "../../outside/file", "points outside DIR/repo, to DIR/outside/file"],
  ["an absolute path outside", "DIR/outside", "points outside DIR/repo, to DIR/outside"],
  ["the directory above", "../..", "points outside DIR/repo, to DIR"],
  ["a name that begins alike", "../../repository", "points outside DIR/repo, to DIR/repository"],
  ["nothing, outside", "../../nothing", "points outside DIR/repo, to DIR/nothing"],
  ["a private file", ".env", "points to private data: DIR/repo/app/.env"],
  [
    "a template by its own name, which may hold anything",
    "../templates/.env.example",
    "points to private data: DIR/repo/templates/.env.example",
  ],
  ["a private directory", "../.ssh", "points to private data: DIR/repo/.ssh"],
  ["a file in one", "../.ssh/config", "points to private data: DIR/repo/.ssh/config"],
  [
    "nothing, in a private directory",
    "../.ssh/new",
    "points to private data: DIR/repo/.ssh/new",
  ],
  [
    "what holds something private",
    "../keys",
    "points to private data: DIR/repo/keys/deep/id_rsa",
  ],
  [
    "what holds a private directory",
    "folder",
    "points to private data: DIR/repo/app/folder/.git",
  ],
  [
    "what holds more than a template",
    "../copies",
    "points to private data: DIR/repo/copies/.env.example.bak",
  ],
  ["a link that leads out", "chain", "points outside DIR/repo, to DIR/outside"],
];

async function workTree() {
  const directory = await makeDirectory(FILES);
  const app = join(directory.path, "repo/app");
  const link = (target: string, name: string): Promise<void> =>
    Deno.symlink(target.replace("DIR", directory.path), join(app, name));
  await link("../../outside", "chain");
  return {
    link,
    app,
    confined: { directory: app, boundary: join(directory.path, "repo") },
    /** With DIR in the place of the directory. */
    shown: (text?: string) => text?.replaceAll(directory.path, "DIR"),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("escapeOf", () => {
  for (const [name, target, words] of LINKS) {
    it(`a link to ${name}: ${words ?? "no escape"}`, async () => {
      await using tree = await workTree();
      await tree.link(target, "link");
      const escape = await escapeOf(tree.confined, join(tree.app, "link"));
      assertEquals(tree.shown(escape?.words), words);
      if (escape) assertEquals(escape.isPrivate, words!.includes("private"));
    });
  }

  const plain: readonly (readonly [path: string, words?: string])[] = [
    ["file"],
    ["nothing/deep"],
    ["file/below a file"],
    // Its own name says what it is.
    [".env"],
    ["folder/.git"],
    ["chain/file", "points outside DIR/repo, to DIR/outside/file"],
    ["chain/nothing/deep", "points outside DIR/repo, to DIR/outside/nothing/deep"],
  ];
  for (const [path, words] of plain) {
    it(`${path} itself: ${words ?? "no escape"}`, async () => {
      await using tree = await workTree();
      const escape = await escapeOf(tree.confined, join(tree.app, path));
      assertEquals(tree.shown(escape?.words), words);
    });
  }

  it("a directory that is a link itself changes nothing", async () => {
    await using tree = await workTree();
    await tree.link(".", "self");
    const confined = { ...tree.confined, directory: join(tree.app, "self") };
    assertEquals(await escapeOf(confined, join(tree.app, "self/.env")), undefined);
  });

  it("a directory that may not be read counts as private", async () => {
    await using tree = await workTree();
    await tree.link("../data", "link");
    const link = join(tree.app, "link");
    const readDir = (error: Error) => () => {
      throw error;
    };
    using _denied = replaced(Deno, { readDirSync: readDir(new Deno.errors.PermissionDenied()) });
    const escape = await escapeOf(tree.confined, link);
    assertEquals(tree.shown(escape?.words), "points to private data: DIR/repo/data");
    using _broken = replaced(Deno, { readDirSync: readDir(new Error("(os error 5)")) });
    await assertRejects(() => escapeOf(tree.confined, link), Error, "os error 5");
  });

  it("says where it leads to", async () => {
    await using tree = await workTree();
    const escape = await escapeOf(tree.confined, join(tree.app, "chain"));
    assertEquals(tree.shown(escape?.target), "DIR/outside");
  });
});

suite("escapeOf a link that a container planted", () => {
  it("is its way out of the directory that the container wrote", async () => {
    await using directory = await makeDirectory({
      "flats/mlcli_base/local_test/test_dir/output/": "",
      "data/secret": "",
    });
    const output = join(directory.path, "flats/mlcli_base/local_test/test_dir/output");
    await Deno.symlink("../../../../../data", join(output, "result"));
    const confined = { directory: directory.path, boundary: directory.path };
    // Also for a file that does not exist yet, which would be created.
    for (const name of ["secret", "new", "new/file"]) {
      assertEquals(
        (await escapeOf(confined, join(output, "result", name)))?.words,
        `points to ${directory.path}/data/${name}, outside a directory that containers write to`,
      );
    }
  });
});

suite("requireInside", () => {
  it("names the first path that is wrong, as it is typed, and what to do", async () => {
    await using tree = await workTree();
    await tree.link("../.ssh", "private");
    const remedy = (path: string, target: string) => `${tree.shown(path)} to ${tree.shown(target)}`;
    const rows = [
      [["chain", "private"], remedy, "chain points outside", "DIR/repo/app/chain to DIR/outside"],
      [["file", "chain"], undefined, "chain points outside", PUT_IT_THERE],
      [["private", "chain"], remedy, "private points to private data", PUT_IT_THERE],
    ] as const;
    for (const [names, remedy, message, hint] of rows) {
      const paths = names.map((name) => join(tree.app, name));
      const error = await assertRejects(
        () => requireInside(tree.confined, paths, remedy),
        MlcliError,
      );
      assertEquals([error.message.startsWith(message), error.hint], [true, hint]);
    }
  });

  it("takes what stays inside", async () => {
    await using tree = await workTree();
    await requireInside(tree.confined, ["file", "nothing"].map((name) => join(tree.app, name)));
    await requireInside(tree.confined, []);
  });
});
