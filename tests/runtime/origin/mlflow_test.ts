import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../runtime/errors.ts";
import { directoryOrigin, findIn, projectAt } from "../../../runtime/origin/directory.ts";
import type { Origin } from "../../../runtime/origin/origin.ts";
import evidence from "../../evidence/mlflow.json" with { type: "json" };
import { makeDirectory } from "../../helpers/directory.ts";
import { readText } from "../../helpers/evidence.ts";
import { it, suite } from "../../helpers/suite.ts";

const MODEL = `flavors:
  python_function:
    loader_module: mlflow.sklearn
    python_version: 3.10.12
mlflow_version: 2.22.4
`;

const BASE = "app/mlcli_base";
const PLACE = `${BASE}/local_test/test_dir/model`;

/** Lists of a model's files; not always of strings. */
interface Environment {
  readonly build?: readonly unknown[];
  readonly dependencies?: readonly string[];
  readonly conda?: readonly unknown[];
  readonly requirements?: string;
}

/** What mlcli makes of files. */
async function originOf(files: Readonly<Record<string, string>>): Promise<Origin> {
  await using directory = await makeDirectory(files);
  return await directoryOrigin(await projectAt(directory.path, ".", "app"));
}

/** The packages of the app, without the line that says where they come from. */
function packagesOf({ files }: Origin): readonly string[] {
  const { content } = files.find(({ path }) => path === "app/requirements.txt")!;
  return (content as string).trim().split("\n").slice(1);
}

/** The model's files in the app, relative to their directory. */
function copiesIn({ files }: Origin): readonly string[] {
  return files.flatMap(({ path }) => path.split(`${PLACE}/`).slice(1));
}

const TO_WRITE =
  `MLflow models have no training code. To train, write it in ${BASE}/training/training.py.`;

/** What was not taken over, but for what is said of every model. */
function leftOf({ left }: Origin): readonly string[] {
  assertEquals(left[0], TO_WRITE);
  return left.slice(1);
}

suite("an app of an MLflow model", () => {
  it("was tried with the versions that the judge has", async () => {
    const task = await readText("scripts/engine/toolkit_images.ts");
    for (const one of evidence.versions) assertStringIncludes(task!, `"mlflow==${one}"`);
  });

  for (const [version, { files, python, packages }] of Object.entries(evidence.models)) {
    it(`is made of what mlflow ${version} wrote`, async () => {
      const origin = await originOf(files as Readonly<Record<string, string>>);
      assertEquals(origin.configuration, {
        image_name: "app",
        python_version: python,
        requirements: "app/requirements.txt",
      });
      assertEquals(packagesOf(origin).join(", "), packages);
      assertEquals(leftOf(origin), []);
      assertEquals(copiesIn(origin), Object.keys(files).sort());
      const example = "serving_input_example.json" in files;
      assertEquals(origin.next.at(-1)!.endsWith(" REQUEST.json"), !example);
    });
  }

  /** Lines of requirements.txt and of conda.yaml; what is installed, and what is named as left out. */
  const packages: readonly (readonly [string, string, string, string])[] = [
    ["", "", "mlflow==2.22.4", ""],
    ["numpy==1.26.4\r\n\r\n# x\r\n", "", "mlflow==2.22.4, numpy==1.26.4", ""],
    ["mlflow\nnumpy", "", "mlflow==2.22.4, numpy", ""],
    ["mlflow<3 # ours\nmlflow-skinny==2.22.4", "", "mlflow<3, mlflow-skinny==2.22.4", ""],
    ["mlflow[extras]==2.22.4\nscipy", "", "mlflow[extras]==2.22.4, scipy", ""],
    ['numpy ; python_version < "3.12"', "", 'mlflow==2.22.4, numpy ; python_version < "3.12"', ""],
    [
      "",
      "[python=3.10, pip<=23, libgomp=1, {pip: [numpy, 3]}]",
      "mlflow==2.22.4, numpy",
      "libgomp=1",
    ],
    ["numpy", "[r-base, {pip: [scipy]}]", "mlflow==2.22.4, numpy", "r-base"],
    ["", "{pip: 3}", "mlflow==2.22.4", ""],
    ["", "{pip: [./x.whl, -r a.txt, six]}", "mlflow==2.22.4, six", "./x.whl, -r a.txt"],
  ];
  for (const [requirements, conda, installed, left] of packages) {
    it(`gets its packages of ${JSON.stringify([requirements, conda])}`, async () => {
      const origin = await originOf({
        MLmodel: MODEL,
        ...requirements === "" ? {} : { "requirements.txt": requirements },
        ...conda === "" ? {} : { "conda.yaml": `dependencies: ${conda}` },
      });
      assertEquals(packagesOf(origin).join(", "), installed);
      assertEquals(leftOf(origin).map((text) => text.split(": ")[1]).join(), left);
    });
  }

  it("gets nothing from requirements that a build would read elsewhere", async () => {
    const lines = [
      "-r /etc/passwd",
      "--index-url https://example.com/simple",
      "shop @ https://example.com/shop.whl",
      "shop==${HOME}",
      "shop \\\nshop==1 --config-settings=x=https://example.com",
      "a==1 --extra-index-url=evil",
      "b==1 ; python_version<'3' --pre",
    ];
    const origin = await originOf({ MLmodel: MODEL, "requirements.txt": lines.join("\n") });
    assertEquals(packagesOf(origin), ["mlflow==2.22.4"]);
    const named = `trust to app/requirements.txt): ${
      lines.map((line) => line.replace("\\\n", "")).join(", ")
    }`;
    assertStringIncludes(leftOf(origin).join(), named);
  });

  // https://github.com/mlflow/mlflow/pull/4564: log_model writes the two files.
  it("gets constraints and wheels of the model, at their places", async () => {
    await using here = await makeDirectory();
    await using model = await makeDirectory({
      MLmodel: MODEL,
      "requirements.txt": "mlflow==2.22.4\n-c constraints.txt\nwheels/x-1-py3-none-any.whl\n" +
        "wheels/none.whl\n./Makefile\n./.vscode\n-r ../up.txt\n--find-links wheels\n" +
        "-i ./simple --extra-index-url https://example.com\n",
      "constraints.txt": "numpy<2 # ours\n--index-url https://example.com/simple\n",
      "wheels/x-1-py3-none-any.whl": "wheel",
      "Makefile": "all:\n",
      ".vscode/tasks.json": "{}",
      "simple/x/index.html": "",
    });
    const origin = await directoryOrigin(await projectAt(here.path, model.path, "app"));
    const copied = origin.files.filter(({ path }) =>
      /^(?!app\/(mlcli_base|requirements))/.test(path)
    );
    assertEquals(copied.map(({ path }) => path).sort(), [
      ...["app/constraints.txt", "wheels/x-1-py3-none-any.whl"],
    ]);
    assertEquals(copied.find(({ path }) => path.startsWith("app/"))!.content, "numpy<2\n");
    assertEquals(packagesOf(origin), [
      ...["mlflow==2.22.4", "-c constraints.txt", "wheels/x-1-py3-none-any.whl"],
      "--find-links wheels",
    ]);
    assertEquals(leftOf(origin), [
      "Not copied: requirements.txt, line 4: wheels/none.whl does not exist",
      "Not copied: Makefile is not a requirements file, an archive or a new directory",
      "Not copied: .vscode is not a requirements file, an archive or a new directory",
      "Not copied: requirements.txt, line 7: ../up.txt is outside the project's directory",
      "Not from a package index (add the ones you trust to app/requirements.txt): wheels/none.whl, " +
      "./Makefile, ./.vscode, -r ../up.txt, " +
      "-i ./simple --extra-index-url https://example.com, --index-url https://example.com/simple",
    ]);
  });

  /** mlflow's version, the model's environment, its Python; the setuptools that the app gets. */
  const setuptools: Readonly<Record<string, readonly [string, Environment, string, string]>> = {
    // https://github.com/mlflow/mlflow/issues/11330
    "the last mlflow that needs it, without an environment": [
      "2.15.1",
      {},
      "3.10",
      "setuptools<81",
    ],
    "the first mlflow that doesn't": ["2.16.0", { build: ["setuptools==66.1.1"] }, "3.11", ""],
    "an mlflow whose second digit is 1": ["2.1.1", {}, "3.10", "setuptools<81"],
    "mlflow 1": [
      "1.30.0",
      { build: ["pip==23.0.1", "setuptools==58.1.0", "wheel"] },
      "3.9",
      "setuptools==58.1.0",
    ],
    "mlflow 3": ["3.17.2", {}, "3.12", ""],
    "a python_env.yaml without its version": [
      "2.9.2",
      { build: ["setuptools"] },
      "3.10",
      "setuptools<81",
    ],
    "a dependency of python_env.yaml": [
      "2.10.2",
      { dependencies: ["setuptools==69.1.0", "-r requirements.txt"] },
      "3.10",
      "setuptools==69.1.0",
    ],
    "a conda package": [
      "2.9.2",
      { conda: ["python=3.10", "setuptools=65.5.0=py310h06a4308_0"] },
      "3.10",
      "setuptools==65.5.0",
    ],
    "a pip package of conda.yaml": [
      "2.9.2",
      { conda: [{ pip: ["setuptools==65.5.1"] }] },
      "3.10",
      "setuptools==65.5.1",
    ],
    // https://github.com/pypa/pip/issues/12416
    "a version whose pkg_resources fails in Python 3.12": [
      "2.9.2",
      { build: ["setuptools==65.5.0"] },
      "3.12",
      "setuptools<81",
    ],
    "a version for Python 3.12": [
      "2.9.2",
      { build: ["setuptools==69.0.2"] },
      "3.12",
      "setuptools==69.0.2",
    ],
    // https://github.com/databricks/mlops-stacks/issues/215
    "a version without pkg_resources": [
      "2.9.2",
      { build: ["setuptools==82.0.0"] },
      "3.12",
      "setuptools<81",
    ],
    // https://github.com/NixOS/nixpkgs/issues/330746
    "no list of packages": [
      "2.14.1",
      { build: [7, null, { toString: 1 }] },
      "3.11",
      "setuptools<81",
    ],
    "a version that pip does not accept": [
      "2.9.2",
      { build: ["setuptools==65.5.", "setuptools===65.5"] },
      "3.11",
      "setuptools<81",
    ],
    "versions of build_dependencies, dependencies and conda": [
      "2.9.2",
      {
        build: ["setuptools==65.5.0"],
        dependencies: ["setuptools==69.0.2"],
        conda: ["setuptools=70"],
      },
      "3.11",
      "setuptools==65.5.0",
    ],
    "versions of dependencies and conda": [
      "2.9.2",
      {
        dependencies: ["setuptools==69.0.2"],
        conda: ["setuptools=70", { pip: ["setuptools==71"] }],
      },
      "3.11",
      "setuptools==69.0.2",
    ],
    "versions of conda and of its pip": [
      "2.9.2",
      { conda: [{ pip: ["setuptools==71"] }, "setuptools=70"] },
      "3.11",
      "setuptools==70",
    ],
    "an mlflow below a version": [
      "2.9.2",
      { requirements: "mlflow<2.16" },
      "3.11",
      "setuptools<81",
    ],
    "an mlflow from a version on": [
      "3.1.0",
      { requirements: "mlflow>=2" },
      "3.11",
      "setuptools<81",
    ],
    "an mlflow that requirements name": [
      "3.1.0",
      { requirements: "mlflow==2.10.2" },
      "3.11",
      "setuptools<81",
    ],
  };
  for (const [title, [version, environment, python, expected]] of Object.entries(setuptools)) {
    it(`gets a setuptools that works for ${title}`, async () => {
      const { build, dependencies, conda, requirements = `mlflow==${version}` } = environment;
      const origin = await originOf({
        MLmodel: MODEL.replace("2.22.4", version).replace("3.10.12", `${python}.7`),
        "requirements.txt": requirements,
        "python_env.yaml": JSON.stringify({ build_dependencies: build, dependencies }),
        "conda.yaml": JSON.stringify({ dependencies: conda }),
      });
      assertEquals(packagesOf(origin).slice(1).join(", "), expected);
      assertEquals(leftOf(origin), []);
    });
  }

  /** What the requirements say of setuptools; what the app gets for mlflow 2.9.2, and the note. */
  const named: readonly (readonly [
    requirements: string,
    constraints: string,
    packages: string,
    note?: string,
  ])[] = [
    ["setuptools>=60", "", "setuptools>=60, setuptools<81"],
    ["setuptools", "", "setuptools, setuptools<81"],
    ['setuptools; python_version<"4"', "", 'setuptools; python_version<"4", setuptools<81'],
    ["setuptools<=90", "", "setuptools<=90, setuptools<81"],
    ["setuptools!=82.0.0", "", "setuptools!=82.0.0, setuptools<81"],
    ["setuptools==65.5.0", "", "setuptools==65.5.0"],
    ["-c constraints.txt", "setuptools==65.5.0", "-c constraints.txt, setuptools==65.5.0"],
    ["-c constraints.txt", "setuptools<70", "-c constraints.txt, setuptools<81"],
    ["setuptools==82.0.0", "", "setuptools==82.0.0, setuptools", "setuptools==82.0.0"],
    ["Setuptools >= 81", "", "Setuptools >= 81, setuptools", "Setuptools >= 81"],
    [
      "-c constraints.txt",
      "setuptools~=82.0",
      "-c constraints.txt, setuptools",
      "setuptools~=82.0",
    ],
    ["-r constraints.txt", "setuptools>81", "-r constraints.txt, setuptools", "setuptools>81"],
  ];
  for (const [requirements, constraints, expected, note] of named) {
    it(`gets a setuptools that fits ${requirements} ${constraints}`, async () => {
      const origin = await originOf({
        MLmodel: MODEL.replace("2.22.4", "2.9.2"),
        "requirements.txt": `mlflow==2.9.2\n${requirements}`,
        "constraints.txt": constraints,
        "python_env.yaml": "build_dependencies: [setuptools==69.0.2]",
      });
      assertEquals(packagesOf(origin).slice(1).join(", "), expected);
      const words = "mlflow 2.9.2 needs setuptools<81 instead of";
      assertEquals(leftOf(origin), note === undefined ? [] : [`${words}: ${note}`]);
    });
  }

  for (const [file, packages] of [["-r", "mlflow==2.9.2, -r"], ["-c", "mlflow==2.9.2, -c"]]) {
    it(`gets the mlflow that a file after ${file} names`, async () => {
      const origin = await originOf({
        MLmodel: MODEL,
        "requirements.txt": `${file} more.txt`,
        "more.txt": "mlflow==2.9.2\n",
      });
      assertEquals(packagesOf(origin).join(", "), `${packages} more.txt, setuptools<81`);
    });
  }

  for (const [title, text] of Object.entries({ empty: "", malformed: "[", "a list": "- 1" })) {
    it(`ignores a python_env.yaml that is ${title}`, async () => {
      for (const [version, last] of [["2.9.2", "setuptools<81"], ["3.1.0", "mlflow==3.1.0"]]) {
        const MLmodel = MODEL.replace("2.22.4", version!);
        const origin = await originOf({ MLmodel, "python_env.yaml": text });
        assertEquals(packagesOf(origin).at(-1), last);
      }
    });
  }

  it("ignores a python_env.yaml that is a link that leads elsewhere", async () => {
    await using outside = await makeDirectory({ it: "build_dependencies: [setuptools==65.5.0]" });
    await using directory = await makeDirectory({ MLmodel: MODEL.replace("2.22.4", "2.9.2") });
    await Deno.symlink(join(outside.path, "it"), join(directory.path, "python_env.yaml"));
    const origin = await directoryOrigin(await projectAt(directory.path, ".", "app"));
    assertEquals(packagesOf(origin), ["mlflow==2.9.2", "setuptools<81"]);
    assertStringIncludes(
      leftOf(origin).join(),
      "links that point outside the project: python_env.yaml",
    );
  });

  it("has the last of two equal keys of MLmodel", async () => {
    const origin = await originOf({ MLmodel: `${MODEL}mlflow_version: 3.1.0\n` });
    assertEquals(packagesOf(origin), ["mlflow==3.1.0"]);
  });

  /** A path in MLmodel as Windows wrote it, the file that the model has, and the path in the copy. */
  const windows: Readonly<Record<string, readonly [string, string, string | undefined]>> = {
    // https://github.com/mlflow/mlflow/issues/2759
    "an artifact": [
      "python_function:\n    artifacts:\n      artifact:\n        path: artifacts\\some_artifact",
      "artifacts/some_artifact",
      "artifacts/some_artifact",
    ],
    // https://github.com/mlflow/mlflow/issues/9278
    "an artifact's directory, with both separators": [
      "python_function:\n    artifacts: {m: {path: 'artifacts/WebUpload\\230810142051-2538339127\\m'}}",
      "artifacts/WebUpload/230810142051-2538339127/m/config.json",
      "artifacts/WebUpload/230810142051-2538339127/m",
    ],
    // https://github.com/mlflow/mlflow/issues/11862
    "a value in double quotes": [
      'python_function:\n    artifacts: {s: {path: "artifacts\\\\my scaler.pkl"}}',
      "artifacts/my scaler.pkl",
      "artifacts/my scaler.pkl",
    ],
    // https://github.com/mlflow/mlflow/issues/19744
    "the absolute path of a model from code": [
      "python_function:\n    model_code_path: C:\\Users\\foghol\\Documents\\projects\\" +
      "gas-meter-scanner\\models\\wrapper\\paddle_ocr_english_wrapper.py",
      "paddle_ocr_english_wrapper.py",
      "paddle_ocr_english_wrapper.py",
    ],
    // https://github.com/mlflow/mlflow/pull/14264
    "the configuration of a model from code": [
      "python_function:\n    model_config: C:\\foo\\bar\\config.yml",
      "config.yml",
      "config.yml",
    ],
    "one of another flavor": [
      "langchain:\n    model_code_path: C:\\foo\\bar\\model.py",
      "model.py",
      "model.py",
    ],
    "the directory of code": [
      "python_function:\n    code: code\\",
      "code/shop/__init__.py",
      "code",
    ],
    "data": ["python_function:\n    data: model\\data\r", "model/data/weights.bin", "model/data"],
    "a list": [
      "pytorch:\n    extra_files:\n    - path: extra_files\\a.json",
      "extra_files/a.json",
      "extra_files/a.json",
    ],
    "a file that is missing": ["python_function:\n    data: data\\model", "data/other", undefined],
    "an address of the machine that saved it": [
      "python_function:\n    uri: C:\\me\\scaler.pkl",
      "scaler.pkl",
      undefined,
    ],
    "a path out of the model": [
      "python_function:\n    data: ..\\..\\etc\\passwd",
      "etc/passwd",
      undefined,
    ],
    "the file above the model": ["python_function:\n    data: ..\\", "data/x", undefined],
    "the root": ["python_function:\n    model_code_path: C:\\", "data/x", undefined],
  };
  for (const [title, [text, file, path]] of Object.entries(windows)) {
    const what = path === undefined ? "keeps" : "gets slashes instead of";
    it(`${what} the backslashes of Windows in ${title}`, async () => {
      const mlmodel = `artifact_path: a\\b # 3.10\nflavors:\n  ${text}\n${
        text.startsWith("python_function") ? "    loader_module: x" : "  python_function: {}"
      }\nmlflow_version: 3.2.0\nutc_time_created: '2020-04-28 15:59:25.211458'\n`;
      const origin = await originOf({ MLmodel: mlmodel, [file]: "x" });
      const { content } = origin.files.find(({ path }) => path === `${PLACE}/MLmodel`)!;
      const said = leftOf(origin).filter((one) => /MLmodel/.test(one));
      if (path === undefined) return assertEquals([typeof content, said], ["function", []]);
      const value = text.split(/(?:path|code|config|data): ?/).at(-1)!.trim().replace(/\}+$/, "");
      assertEquals(content, mlmodel.replace(value, () => JSON.stringify(path)));
      assertStringIncludes(said.join(), "The copy of MLmodel has slashes instead of backslashes");
    });
  }

  // PyYAML reads a block scalar with "-" as the value without its line break.
  for (const style of [">-", "|-"]) {
    it(`keeps the line after a path of Windows in a block scalar with ${style}`, async () => {
      const rest = "    env: |-\n      x\\y\n    loader_module: x\nmlflow_version: 3.2.0\n";
      const origin = await originOf({
        MLmodel: `flavors:\n  python_function:\n    code: ${style}\n      code\\\n${rest}`,
        "code/shop.py": "",
      });
      const { content } = origin.files.find(({ path }) => path === `${PLACE}/MLmodel`)!;
      assertEquals(content, `flavors:\n  python_function:\n    code: "code"\n${rest}`);
    });
  }

  it("names 20 of the paths of Windows in MLmodel", async () => {
    const names = Array.from({ length: 30 }, (_, n) => `a\\${n}`);
    const artifacts = [...names, ...names].map((name, n) => `      k${n}: ${name}\n`).join("");
    const files = names.map((name) => [name.replace("\\", "/"), ""]);
    const { left } = await originOf({
      ...Object.fromEntries(files),
      MLmodel: MODEL.replace("  python_function:\n", `$&    artifacts:\n${artifacts}`),
    });
    const shown = names.slice(0, 20).join(", ");
    assert(left.at(-1)!.endsWith(`backslashes in: ${shown} and 10 more`), left.at(-1));
  });

  const pythons: readonly [found: string, version: string, left: string][] = [
    ['"3.8"', "3.8", ""],
    ["3.7.16", "3.8", "needs Python 3.7.16, but the image has 3.8"],
    // In YAML, 3.10 is a number, and the same as 3.1.
    ["3.10", "3.12", "needs an unknown Python"],
    ["{toString: 1}", "3.12", "needs an unknown Python"],
    ['"3.11\\nRUN x"', "3.12", "needs Python 3.11?RUN x"],
    [`"3.7.${"1".repeat(20)}"`, "3.8", `needs Python 3.7.${"1".repeat(16)}, but the image`],
  ];
  for (const [found, version, left] of pythons) {
    it(`has a Python for python_version: ${found}`, async () => {
      const origin = await originOf({ MLmodel: MODEL.replace("3.10.12", found) });
      assertEquals(origin.configuration.python_version, version);
      assertEquals(leftOf(origin).length, left === "" ? 0 : 1);
      assertStringIncludes(leftOf(origin).join(), left);
    });
  }

  for (const version of ["2.22.4.dev0", "[2]", '"2\\nnumpy"', "2"]) {
    it(`says that it does not know mlflow ${version}`, async () => {
      const origin = await originOf({ MLmodel: MODEL.replace("2.22.4", version) });
      assertEquals(packagesOf(origin), ["mlflow"]);
      assertStringIncludes(leftOf(origin).join(), "Set the model's mlflow version in app/");
    });
  }

  const refused: readonly [what: string, text: string, message: string][] = [
    ["no python_function", "flavors: {onnx: {}}", "The model has no python_function flavor: ."],
    [
      "flavors of nonsense",
      "flavors: [python_function]",
      "The model has no python_function flavor",
    ],
    ["no mapping", "- 1", "MLmodel must contain a mapping"],
    ["no YAML", "a: [", "Cannot parse MLmodel as YAML: Flow sequence in block collection must be"],
  ];
  for (const [what, text, message] of refused) {
    it(`is refused for an MLmodel with ${what}`, async () => {
      await assertRejects(() => originOf({ MLmodel: text }), MlcliError, message);
    });
  }

  it("is found in a run, and in a logged model of mlflow 3", async () => {
    for (const folder of ["artifacts", "artifacts/model"]) {
      const origin = await originOf({ [`${folder}/MLmodel`]: MODEL, "meta.yaml": "secret: 1" });
      assertEquals(origin.what, `the MLflow model ${folder}/MLmodel`);
      assertEquals(copiesIn(origin), ["MLmodel"]);
    }
    await using directory = await makeDirectory({ "models/a/MLmodel": MODEL });
    assertEquals(await findIn(await projectAt(directory.path, ".", undefined)), undefined);
  });

  it("gets neither secrets of the model's directory nor what its links lead to", async () => {
    await using outside = await makeDirectory({ "secret": "secret", MLmodel: MODEL });
    await using directory = await makeDirectory({ "m/MLmodel": MODEL, "m/.env": "A=1" });
    const place = join(directory.path, "m");
    await Deno.symlink(join(outside.path, "secret"), join(place, "serving_input_example.json"));
    await Deno.symlink(outside.path, join(place, "data"));
    await Deno.writeTextFile(join(place, "a\nb"), "");
    const origin = await directoryOrigin(await projectAt(directory.path, "m", "app"));
    assertEquals(copiesIn(origin), ["MLmodel", "a\nb"]);
    const names = [".env", "data", "serving_input_example.json"];
    assertStringIncludes(
      leftOf(origin)[0]!,
      `links that point outside the project: ${names.join(", ")}`,
    );
    assertEquals(origin.next.at(-1), "mlcli local invoke REQUEST.json");
  });

  for (const name of ["MLmodel", "requirements.txt", "conda.yaml"]) {
    it(`is refused where ${name} is a link that leads elsewhere`, async () => {
      await using outside = await makeDirectory({ it: MODEL });
      await using directory = await makeDirectory(name === "MLmodel" ? {} : { MLmodel: MODEL });
      await Deno.symlink(join(outside.path, "it"), join(directory.path, name));
      const project = await projectAt(directory.path, ".", "app");
      await assertRejects(() => directoryOrigin(project), MlcliError, `${name} points outside`);
    });
  }
});
