import { assertEquals, assertThrows } from "@std/assert";
import { dirname, join } from "@std/path";
import { followLink, linkBoundary, nodesIn } from "../../../runtime/app/links.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The result of a run of the app, which a container wrote. */
const MODEL = "repo/flats/mlcli_base/local_test/test_dir/model";
const HUB = "cache/hub/models--acme--bert";

/** Where a link leads in a tree, with `repo` as the boundary. */
const LINKS: readonly {
  readonly name: string;
  readonly link: string;
  readonly to: string;
  /** Further links, and files. */
  readonly more?: Readonly<Record<string, string>>;
  /** Path of the content; none for a broken link. */
  readonly target?: string;
  /** `ROOT` stands for the directory around all. */
  readonly words?: string;
}[] = [
  // https://github.com/aws/sagemaker-python-sdk/issues/2337
  {
    name: "a directory elsewhere in the repository",
    link: "repo/src/common",
    to: "../shared/common",
    more: { "repo/shared/common/x.py": "" },
    target: "repo/shared/common",
  },
  // https://github.com/Azure/azure-sdk-for-python/issues/30141
  {
    name: "a chain of links",
    link: "repo/a",
    to: "b",
    more: { "repo/b": "-> sub/c", "repo/sub/c": "-> ../d.csv", "repo/d.csv": "" },
    target: "repo/d.csv",
  },
  // https://github.com/moby/moby/issues/13382
  {
    name: "the current version",
    link: "repo/data/current",
    to: "2026-11",
    more: { "repo/data/2026-11/a.csv": "" },
    target: "repo/data/2026-11",
  },
  // https://github.com/s3tools/s3cmd/pull/23
  {
    name: "a directory whose name begins like its own",
    link: "repo/main",
    to: "main-1234",
    more: { "repo/main-1234/x": "" },
    target: "repo/main-1234",
  },
  {
    name: "nothing",
    link: "repo/a",
    to: "../gone/x.csv",
    words: "points to ../gone/x.csv, which does not exist",
  },
  {
    name: "a directory outside",
    link: "repo/a",
    to: "../other",
    more: { "other/x": "" },
    words: "points outside ROOT/repo, to ROOT/other",
  },
  {
    name: "a private file",
    link: "repo/a.txt",
    to: ".env",
    more: { "repo/.env": "" },
    words: "points to private data: ROOT/repo/.env",
  },
  {
    name: "a private key",
    link: "repo/a.txt",
    to: "server.key",
    more: { "repo/server.key": "-----BEGIN PRIVATE KEY-----" },
    words: "points to private data: ROOT/repo/server.key",
  },
  // https://github.com/skypilot-org/skypilot/issues/814
  { name: "its own directory", link: "repo/a", to: ".", words: "forms a loop with ROOT/repo" },
  {
    name: "itself",
    link: "repo/a",
    to: "a",
    words: "points to itself",
  },
  {
    name: "what a container can replace meanwhile",
    link: "repo/flats/mlcli_base/local_test/test_dir/input/data/training/x",
    to: "../../../model/step-3",
    more: { [`${MODEL}/step-3/a`]: "" },
    words: `points to ROOT/${MODEL}/step-3, where containers can write`,
  },
  {
    name: "a file beside it that a container wrote",
    link: `${MODEL}/last`,
    to: "step-3",
    more: { [`${MODEL}/step-3`]: "" },
    target: `${MODEL}/step-3`,
  },
  // https://github.com/modelscope/modelscope/issues/1638, https://github.com/NVIDIA-NeMo/Automodel/issues/717
  {
    name: "a path in its container that a training wrote",
    link: `${MODEL}/latest`,
    to: "/opt/ml/model/step-3",
    more: { [`${MODEL}/step-3`]: "" },
    target: `${MODEL}/step-3`,
  },
  {
    name: "a path above its container's model",
    link: `${MODEL}/latest`,
    to: "/opt/ml/model/../customers.csv",
    words: "points to /opt/ml/model/../customers.csv, which does not exist",
  },
  // https://github.com/datalad/datalad-container/issues/288
  {
    name: "the content of a file of git-annex",
    link: "repo/a.csv",
    to: ".git/annex/objects/x1/K/K",
    more: { "repo/.git/annex/objects/x1/K/K": "1" },
    target: "repo/.git/annex/objects/x1/K/K",
  },
  {
    name: "another file of Git",
    link: "repo/a.csv",
    to: ".git/annex/../config",
    more: { "repo/.git/config": "", "repo/.git/annex/x": "" },
    words: "points to private data: ROOT/repo/.git/config",
  },
  {
    name: "a file of the repository, planted by a container",
    link: `${MODEL}/weights`,
    to: "../../../../../customers.csv",
    more: { "repo/customers.csv": "" },
    words: "points to ROOT/repo/customers.csv, outside a directory that containers write to",
  },
  {
    name: "a link that a container planted",
    link: "repo/latest",
    to: "flats/mlcli_base/local_test/test_dir/model/weights",
    more: { [`${MODEL}/weights`]: "-> ../../../../../customers.csv", "repo/customers.csv": "" },
    words: "points to ROOT/repo/customers.csv, outside a directory that containers write to",
  },
];

suite("links.ts", () => {
  for (const { name, link, to, more = {}, target, words } of LINKS) {
    it(`${words === undefined ? "follows" : "does not follow"} a link to ${name}`, async () => {
      await using directory = await makeDirectory();
      const root = Deno.realPathSync(directory.path);
      for (const [path, text] of Object.entries({ [link]: `-> ${to}`, ...more })) {
        await make(join(root, path), text);
      }
      const place = join(root, link);
      const followed = followLink(place, join(root, "repo"), [dirname(place)]);
      assertEquals(
        followed.target ?? followed.words,
        target === undefined ? words?.replaceAll("ROOT", root) : join(root, target),
      );
    });
  }

  // https://huggingface.co/docs/huggingface_hub/guides/manage-cache, and
  // https://github.com/NVIDIA/Model-Optimizer/pull/2254
  it("keeps links of the Hugging Face cache in the directory of their repository", async () => {
    await using directory = await makeDirectory();
    const root = Deno.realPathSync(directory.path);
    const files = {
      [`${HUB}/blobs/abc`]: "weights",
      [`${HUB}/snapshots/1/model.bin`]: "-> ../../blobs/abc",
      // https://github.com/huggingface/huggingface_hub/pull/4498
      [`${HUB}/blobs/shared`]: "-> ../../blobs/ab/xyz",
      "cache/hub/blobs/ab/xyz": "more weights",
      [`${HUB}/snapshots/1/shared.bin`]: "-> ../../blobs/shared",
      [`${HUB}/snapshots/1/evil.bin`]: "-> ../../../../secret.txt",
      "cache/secret.txt": "",
    };
    for (const [path, text] of Object.entries(files)) await make(join(root, path), text);
    const snapshot = join(root, HUB, "snapshots/1");
    const boundary = await linkBoundary(snapshot);
    assertEquals(boundary, join(root, HUB));
    const nodes = Array.from(nodesIn(snapshot, boundary), ({ path, source, kind }) => [
      path,
      kind === "link" ? "broken" : source,
    ]);
    assertEquals(Object.fromEntries(nodes), {
      "": snapshot,
      "model.bin": join(root, HUB, "blobs/abc"),
      "shared.bin": join(root, "cache/hub/blobs/ab/xyz"),
      "evil.bin": "broken",
    });
  });

  it("does not follow links to blobs beside a repository that is named like the cache", async () => {
    await using directory = await makeDirectory();
    const root = Deno.realPathSync(directory.path);
    await make(join(root, "models--evil/data/x"), "-> ../../blobs/secret");
    await make(join(root, "blobs/secret"), "1");
    const followed = followLink(join(root, "models--evil/data/x"), join(root, "models--evil"));
    assertEquals(followed.target, undefined);
  });

  it("fails if links stand for too many paths", async () => {
    await using directory = await makeDirectory();
    const root = Deno.realPathSync(directory.path);
    // 2^29 paths.
    for (let index = 0; index < 30; index++) {
      for (const name of ["x", "y"]) {
        await make(join(root, `d${index}/${name}`), `-> ../d${index + 1}`);
      }
    }
    await make(join(root, "d30/a"), "");
    assertThrows(
      () => [...nodesIn(join(root, "d0"), root)],
      MlcliError,
      "more than 10000 directories",
    );
  });

  // https://github.com/aws/aws-cli/issues/3709, https://github.com/docker/docker-py/issues/1842
  it("ends a walk whose links go round through two directories", async () => {
    await using directory = await makeDirectory();
    const root = Deno.realPathSync(directory.path);
    await make(join(root, "a/x"), "-> ../b");
    await make(join(root, "b/y"), "-> ../a");
    const paths = Array.from(nodesIn(root, root), ({ path, kind }) => `${path} ${kind}`).sort();
    assertEquals(paths, [
      " directory",
      "a directory",
      "a/x directory",
      "a/x/y link",
      "b directory",
      "b/y directory",
      "b/y/x link",
    ]);
  });

  it("takes the repository as the boundary of links in it, and else their directory", async () => {
    await using directory = await makeDirectory();
    const root = Deno.realPathSync(directory.path);
    await make(join(root, "repo/data/x"), "");
    await make(join(root, MODEL, "x"), "");
    await make(join(root, "other/x"), "");
    const repo = join(root, "repo");
    assertEquals(await linkBoundary(join(repo, "data"), repo), repo);
    assertEquals(await linkBoundary(join(root, "other"), repo), join(root, "other"));
    assertEquals(await linkBoundary(join(root, MODEL)), join(root, MODEL));
  });
});

/** Makes a file, or a link for a text that begins with an arrow. */
async function make(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  if (text.startsWith("-> ")) await Deno.symlink(text.slice(3), path);
  else await Deno.writeTextFile(path, text);
}
