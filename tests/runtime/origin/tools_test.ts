import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { filesBelow, makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const SERVE = `import flask
import pandas as pd
from flask import Flask, Response
import tables

def model_fn(model_dir):
    return tables.load(model_dir)

def predict_fn(input_data, model):
    return model.predict(input_data)

app = Flask(__name__)
model = model_fn(model_dir='/opt/ml/model')

@app.route("/invocations", methods=["POST"])
def predict():
    return Response(response=str(predict_fn(pd.read_csv(flask.request.data), model)))

if __name__ == "__main__":
    app.run(host="0.0.0.0", port=8080)
`;

/** A project as easy_sm's init makes it, and as people fill it. */
const EASY_SM: Readonly<Record<string, string>> = {
  "shop.json": JSON.stringify({
    ...{ image_name: "team/shop", aws_profile: "dev", aws_region: "eu-west-1" },
    ...{ python_version: "3.11", requirements_dir: "deps.txt", easy_sm_module_dir: "shop/" },
  }),
  "deps.txt": "scikit-learn==1.5\n",
  "shop/tables.py": "from units.lengths import METRE\n",
  "shop/units/lengths.py": "METRE = 1\n",
  "shop/units/table.csv": "1\n",
  "shop/unused.py": "",
  "shop/easy_sm_base/prediction/serve": SERVE,
  "shop/easy_sm_base/prediction/predict.py": "",
  "shop/easy_sm_base/processing/Makefile": "all:\n",
  "shop/easy_sm_base/processing/clean.py": "import tables\n",
  "shop/easy_sm_base/training/__init__.py": "",
  "shop/easy_sm_base/training/train": "",
  "shop/easy_sm_base/training/training.py": "import features\ndef train(a, b): pass\n",
  "shop/easy_sm_base/training/features.py": "",
  "shop/easy_sm_base/local_test/test_dir/input/data/training/a.csv": "1\n",
  "shop/easy_sm_base/local_test/test_dir/processing/input/raw.csv": "2\n",
  "shop/easy_sm_base/local_test/test_dir/output/old": "",
};

const SAGIFY: Readonly<Record<string, string>> = {
  ".sagify.json": JSON.stringify({
    ...{ image_name: "flats", aws_profile: "", aws_region: "us-east-1", python_version: "3.7" },
    ...{ sagify_module_dir: "src", requirements_dir: "requirements.txt" },
  }),
  "requirements.txt": "sagify>=0.20\nnumpy\n",
  "src/logic.py": "",
  "src/sagify_base/training/training.py":
    "from sagify.api.hyperparameter_tuning import log_metric\nfrom logic import fit\n" +
    "log_metric('Precision', 1)\nlog_metric(\"Mean error\", 2)\nlog_metric(name, 3)\n",
  "src/sagify_base/prediction/prediction.py": "def predict(json_input): return {}\n",
  "src/sagify_base/prediction/predictor.py": "import flask\n",
  "src/sagify_base/local_test/test_dir/input/config/hyperparameters.json": '{"depth": 3}',
};

/** Makes an app in an empty directory, and reads it. */
async function from(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<ProgramResult & { readonly files: Readonly<Record<string, string>> }> {
  await using project = await makeDirectory(files);
  await using here = await makeDirectory();
  const result = await init(here, project.path, ...args);
  assertEquals(await filesBelow(project.path), files);
  return { ...result, files: await filesBelow(here.path) };
}

function init(here: TestDirectory, ...args: readonly string[]): Promise<ProgramResult> {
  return runInProcess(["init", "--from", ...args], { cwd: here.path });
}

const SHOP = "shop/mlcli_base";

suite("init --from an easy_sm project", () => {
  it("takes over code, data, packages and keys", async () => {
    const { code, files, stderr } = await from(EASY_SM);
    assertEquals(code, 0, stderr);
    const [app, test] = [`${SHOP}/`, `${SHOP}/local_test/test_dir/`];
    assertEquals(Object.keys(files).sort(), [
      ...[".dockerignore", "requirements.txt", "shop.json", "shop/MIGRATION.md"],
      ...[`${app}.schema.json`, `${app}Dockerfile`, `${app}common/tables.py`],
      ...[`${app}common/units/lengths.py`, `${app}common/units/table.csv`],
      ...[`${app}local_test/.gitignore`, `${test}input/data/processing/raw.csv`],
      ...[`${test}input/data/training/a.csv`, `${test}model/.gitkeep`, `${test}output/.gitkeep`],
      ...[`${app}prediction/predict.py`, `${app}prediction/serve`],
      ...[`${app}processing/Makefile`, `${app}processing/clean.py`],
      ...[`${app}training/features.py`, `${app}training/training.py`],
    ]);
    const { $schema: _, ...keys } = JSON.parse(files["shop.json"]!);
    assertEquals(keys, {
      ...{ image_name: "team/shop", python_version: "3.11" },
      ...{ cloud_region: "eu-west-1", cloud_profile: "dev" },
    });
    assertEquals(files["requirements.txt"], "# From deps.txt.\nscikit-learn==1.5\npandas\n");
    for (const words of ["make TARGET", "needs pandas", "Dockerfile was not converted"]) {
      assertStringIncludes(stderr, words);
      assertStringIncludes(files["shop/MIGRATION.md"]!, words);
    }
    const cut = "flask, Flask, app, model, predict, if __name__ == ...:\n";
    assertStringIncludes(stderr, `prediction/serve, because mlcli has its own server: ${cut}`);
  });

  it("keeps the model's functions of an old serve, and all of a new one", async () => {
    const { files } = await from(EASY_SM);
    const serve = files[`${SHOP}/prediction/serve`]!;
    const kept =
      "# From shop/easy_sm_base/prediction/serve, without its server.\nimport pandas as pd\n" +
      `import tables\n\n${SERVE.slice(SERVE.indexOf("def model_fn"), SERVE.indexOf("\napp ="))}`;
    assert(serve.startsWith(`${kept}\n\n# Added by mlcli init --from`), serve);
    for (const name of ["input_fn", "output_fn"]) assertStringIncludes(serve, `\ndef ${name}(`);
    const own = SERVE.replace("app =", "def input_fn(body, type): return body\n\napp =");
    const path = "shop/easy_sm_base/prediction/serve";
    const second = (await from({ ...EASY_SM, [path]: own })).files[`${SHOP}/prediction/serve`]!;
    assertEquals(second.split("def input_fn").length, 2);
    const modern = "def model_fn(d): pass\ndef predict_fn(a, m): pass # flask is gone\n";
    const third = await from({ ...EASY_SM, [path]: modern });
    assertEquals(third.files[`${SHOP}/prediction/serve`], modern);
    assert(!third.files["requirements.txt"]!.includes("pandas"));
  });

  it("says what has to be written where it cannot tell", async () => {
    for (const text of [`${SERVE}x = (\n`, SERVE.replace("model.predict", "app.predict")]) {
      const { code, files, stderr } = await from({
        ...EASY_SM,
        "shop/easy_sm_base/prediction/serve": text,
      });
      const words = "Write shop/mlcli_base/prediction/serve: mlcli cannot separate the functions " +
        "in shop/easy_sm_base/prediction/serve from its server";
      assertEquals(code, 0);
      assertStringIncludes(stderr, words);
      assertEquals(files[`${SHOP}/prediction/serve`], `raise NotImplementedError("${words}")\n`);
    }
  });

  it("names what imports will not find as before", async () => {
    const training = "from . import features\nfrom easy_sm_base.training.features import x\n";
    const { files, stderr } = await from({
      ...EASY_SM,
      "shop/easy_sm_base/training/training.py": training,
    });
    const own = Object.keys(files).filter((path) => path.includes("/common/easy_sm_base/"));
    assertEquals(own.map((path) => path.split("easy_sm_base/")[1]).sort(), [
      ...["prediction/predict.py", "processing/clean.py", "training/__init__.py"],
      ...["training/features.py", "training/training.py"],
    ]);
    assertStringIncludes(stderr, "The code imports easy_sm_base, so common/ has a second copy");
    assertStringIncludes(stderr, "Relative imports fail: ");
  });

  it("makes the app in place, once, and keeps what is there", async () => {
    const all = { ...EASY_SM, "requirements.txt": "a\n" };
    await using here = await makeDirectory(all);
    assertEquals((await init(here, ".", "--dry-run")).code, 0);
    assertEquals(await filesBelow(here.path), all);
    const train = await runInProcess(["local", "train"], { cwd: here.path });
    assertEquals(train.stderr.split("\n").slice(0, 2), [
      "error: Not a valid mlcli directory: shop/mlcli_base",
      "hint: Convert this easy_sm project: mlcli init --from . shop",
    ]);
    const { code, stderr } = await init(here, ".");
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, 'Add "cloud_region": "eu-west-1" to shop.json\n');
    const first = await filesBelow(here.path);
    for (const [path, text] of Object.entries(all)) assertEquals(first[path], text);
    assertEquals((await init(here, ".")).stderr, "Nothing to do: shop is complete\n");
    assertEquals(await filesBelow(here.path), first);
    assertEquals(Object.keys(first).filter((path) => path.includes("common/")).length, 3);
  });

  it("takes nothing of the app itself for a module of the project", async () => {
    const own = Object.entries(EASY_SM).map(([path, text]) => [path.replace("shop/", ""), text]);
    await using here = await makeDirectory({
      ...Object.fromEntries(own),
      "shop.json": JSON.stringify({ image_name: "shop", easy_sm_module_dir: "." }),
      "shop/core.py": "",
      "easy_sm_base/training/training.py": "import shop.core\n",
    });
    assertEquals((await init(here, ".")).code, 0);
    assertEquals((await init(here, ".")).stderr, "Nothing to do: shop is complete\n");
  });

  it("takes the app that is named of several", async () => {
    const two = { ...EASY_SM, "other.json": EASY_SM["shop.json"]! };
    const { code, stderr } = await from(two);
    assertEquals(code, 2);
    assertStringIncludes(stderr, ": other, shop\nhint: Choose one: mlcli init --from DIR NAME\n");
    const { files } = await from(two, "other");
    assert("other/mlcli_base/training/training.py" in files);
  });
});

suite("init --from a sagify project", () => {
  it("calls prediction.py, and knows the metrics", async () => {
    const { code, files, stderr } = await from(SAGIFY);
    assertEquals(code, 0, stderr);
    const { $schema: _, ...keys } = JSON.parse(files["flats.json"]!);
    assertEquals(keys, {
      ...{ image_name: "flats", cloud_region: "us-east-1" },
      metric_definitions: [
        { Name: "Precision", Regex: "Precision: ([-+0-9.eE]+)" },
        { Name: "Mean error", Regex: "Mean error: ([-+0-9.eE]+)" },
      ],
    });
    const base = "flats/mlcli_base";
    assertStringIncludes(
      files[`${base}/prediction/serve`]!,
      "return prediction.predict(input_data)",
    );
    assertEquals(files["requirements.txt"], "# From requirements.txt.\nnumpy\n");
    for (
      const path of [
        "prediction/prediction.py",
        "common/logic.py",
        "common/sagify/api/hyperparameter_tuning.py",
      ]
    ) {
      assert(`${base}/${path}` in files, path);
    }
    assert(!(`${base}/prediction/predictor.py` in files));
    for (const words of ['"3.7"', "strings, as on SageMaker", "log_metric"]) {
      assertStringIncludes(stderr, words);
    }
  });

  it("knows the layout of old versions", async () => {
    const old = Object.entries(SAGIFY).map((
      [path, text],
    ) => [path.replace("sagify_base", "sagify"), text]);
    const file = { ".sagify.json": '{"image_name": "flats"}' };
    const { code, files } = await from({ ...Object.fromEntries(old), ...file });
    assertEquals(code, 0);
    assert("flats/mlcli_base/prediction/prediction.py" in files);
  });
});

suite("init --from a project whose requirements refer to other files", () => {
  const REFERRED = {
    ...SAGIFY,
    "requirements.txt": "-r deps/base.txt\n./lib\n--find-links wheels\n-e .\n",
    "deps/base.txt": "\ufeff-c constraints.txt\nsix\n",
    "deps/constraints.txt": "six<2\n",
    "lib/setup.py": "setup",
    "lib/.env": "secret",
    "wheels/x.whl": "wheel",
  };

  it("brings them along, and says what it leaves", async () => {
    const { code, files, stderr } = await from(REFERRED);
    assertEquals(code, 0, stderr);
    const names = Object.keys(files).filter((path) => /^(deps|lib|wheels)\//.test(path));
    assertEquals(names.sort(), [
      ...["deps/base.txt", "deps/constraints.txt", "lib/setup.py", "wheels/x.whl"],
    ]);
    assertStringIncludes(
      stderr,
      "Not copied: requirements.txt, line 4: . is the project's directory itself",
    );
    assertStringIncludes(stderr, "or are links that point outside the project: lib/.env");
  });

  it("leaves a directory that is there as it is, and copies nothing in place", async () => {
    await using project = await makeDirectory(REFERRED);
    await using here = await makeDirectory({ "lib/own.py": "own" });
    const { stderr } = await init(here, project.path);
    assertStringIncludes(
      stderr,
      "Not copied: lib is not a requirements file, an archive or a new directory",
    );
    assertEquals((await filesBelow(here.path))["lib/setup.py"], undefined);
    const before = await filesBelow(project.path);
    await init(project, ".");
    const after = await filesBelow(project.path);
    for (const [path, text] of Object.entries(before)) assertEquals(after[path], text);
  });

  for (
    const [title, bytes] of [
      ["a named encoding", new TextEncoder().encode("# coding: ascii\nsix==1.16.0\n")],
      ["UTF-8 with a mark", new TextEncoder().encode("\ufeffsix==1.16.0\n")],
      [
        "UTF-16",
        new Uint8Array(Uint16Array.from("\ufeffsix==1.16.0\n", (c) => c.charCodeAt(0)).buffer),
      ],
    ] as const
  ) {
    it(`reads ${title}`, async () => {
      await using project = await makeDirectory({ ...SAGIFY, "requirements.txt": bytes });
      await using here = await makeDirectory();
      await init(here, project.path);
      const { ["requirements.txt"]: text } = await filesBelow(here.path);
      assertEquals(text, "# From requirements.txt.\nsix==1.16.0\n");
    });
  }
});

suite("init --from a hostile project", () => {
  it("finds nothing at a path of 1 MB", async () => {
    const paths = { [`a${"/".repeat(1_000_000)}b`]: 0, [`${"a/".repeat(500_000)}b`]: 1 };
    for (const [path, expected] of Object.entries(paths)) {
      await using project = await makeDirectory({
        "src/sagify_base/training/train.py": "",
        ".sagify.json": JSON.stringify({ image_name: "a", requirements_dir: path }),
      });
      await using here = await makeDirectory();
      assertEquals((await init(here, project.path)).code, expected);
    }
  });

  it("leads nowhere out, brings nothing private, and stays in its line", async () => {
    await using outside = await makeDirectory({
      "secret.py": "SECRET = 1\n",
      "folder/f.py": "SECRET\n",
    });
    const training = "import secret, folder, keys\nimport os as  x\n";
    await using project = await makeDirectory({
      ...EASY_SM,
      "shop/easy_sm_base/training/training.py": training,
      "shop/easy_sm_base/training/.env": "SECRET=1\n",
      "shop/easy_sm_base/training/a\nimport os #.py": "",
      "shop/keys/id_rsa": "SECRET\n",
      "shop/keys/k.py": "",
    });
    await Deno.symlink(
      join(outside.path, "secret.py"),
      join(project.path, "shop/easy_sm_base/training/s.py"),
    );
    await Deno.symlink(
      join(outside.path, "secret.py"),
      join(project.path, "shop/easy_sm_base/training/x.py"),
    );
    await using here = await makeDirectory();
    const { code, stderr } = await init(here, project.path);
    assertEquals(code, 0, stderr);
    const files = await filesBelow(here.path);
    assert(!JSON.stringify(files).includes("SECRET"));
    for (const words of ["training/.env", "training/s.py", "keys/id_rsa"]) {
      assertStringIncludes(stderr, words);
    }
    assert(!/^import os/m.test(stderr + files["shop/MIGRATION.md"]));
    // A module that is imported, and is such a link.
    await Deno.symlink(join(outside.path, "secret.py"), join(project.path, "shop/secret.py"));
    await using empty = await makeDirectory();
    const refused = await init(empty, project.path);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, "points outside");
    assertEquals(await filesBelow(empty.path), {});
  });

  it("writes a valid configuration, whatever the tool's file says", async () => {
    const values = JSON.parse(EASY_SM["shop.json"]!);
    const wrong = {
      image_name: 'x"\n}, rm',
      python_version: 3.11,
      aws_region: ["a b"],
      aws_profile: { toString: 1 },
    };
    const places = { requirements_dir: "../../../etc/passwd" };
    const { code, files, stderr } = await from({
      ...EASY_SM,
      "shop.json": JSON.stringify({ ...values, ...wrong, ...places }),
    });
    assertEquals(code, 0, stderr);
    assert(!files["requirements.txt"]!.includes("root"));
    assert(!/^\}/m.test(stderr));
    const { $schema: _, ...keys } = JSON.parse(files["shop.json"]!);
    assertEquals(keys, { python_version: "3.11" });
    assertStringIncludes(stderr, "No packages found: ");
    for (const folder of ["..", "/etc", "", ".git", 3]) {
      const text = JSON.stringify({ ...values, easy_sm_module_dir: folder });
      const unknown = await from({ ...EASY_SM, "shop.json": text });
      assertEquals(unknown.code, 2, unknown.stderr);
      assertStringIncludes(unknown.stderr, "No supported project found in");
    }
  });
});
