import { assert, assertEquals } from "@std/assert";
import { importsOf, namesOf, statementsOf, withoutServer } from "../../../runtime/origin/python.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What a file is, the file, and the code of its statements; `undefined`: it is not split. */
const FILES:
  readonly (readonly [what: string, file: string, codes: readonly string[] | undefined])[] = [
    ["comments alone", "# a\n\n# b", []],
    ["a function", "def f():\n  a\n\n  b\nc\n", ["def f():\n  a\n  b\n", "c\n"]],
    ["tabs", "def f():\n\ta\nc\n", ["def f():\n\ta\n", "c\n"]],
    ["a comment in the first column of a body", "def f():\n  a\n# x\n  b\n", [
      "def f():\n  a\n  b\n",
    ]],
    ["decorators", "@a\n# x\n@b(\n  1)\ndef f():\n  c\nd\n", [
      "@a\n@b(   1)\ndef f():\n  c\n",
      "d\n",
    ]],
    ["branches", "if a:\n  b\nelif c:\n  d\nelse:\n  e\nf\n", [
      "if a:\n  b\nelif c:\n  d\nelse:\n  e\n",
      "f\n",
    ]],
    ["a try", "try:\n  a\nexcept E:\n  b\nfinally:\n  c\n", [
      "try:\n  a\nexcept E:\n  b\nfinally:\n  c\n",
    ]],
    ["brackets over lines", "a = [\n1, {\n2: (3)}]\nb\n", ["a = [ 1, { 2: (3)}]\n", "b\n"]],
    ["a joined line", "a = 1 + \\\n2\nb\n", ["a = 1 +  2\n", "b\n"]],
    ["line ends of Windows and of old", "a\r\nb\rc", ["a\n", "b\n", "c\n"]],
    ["a byte order mark", "\uFEFFimport a\n", ["import a\n"]],
    ["three quotes", 'a = """\ndef f():\n"x" \\""" #"""\nb\n', ['a = ""\n', "b\n"]],
    ["the other quotes within", `a = '''"""'''\nb = "'"\n`, ['a = ""\n', 'b = ""\n']],
    ["a mark of a comment in a string", "a = '#'\nb\n", ['a = ""\n', "b\n"]],
    ["quotes and brackets in a comment", 'a # \' ( """\nb\n', ["a \n", "b\n"]],
    ["escaped quotes", `a = 'it\\'s (' + "\\""\nb\n`, ['a = "" + ""\n', "b\n"]],
    ["a string over joined lines", "a = 'x\\\ny'\nb\n", ['a = ""\n', "b\n"]],
    ["raw strings and bytes", `a = r'\\(' + b"("\nb\n`, ['a = r"" + b""\n', "b\n"]],
    ["a docstring", '"""Text\n\ndef f(): no\n"""\nb\n', ['""\n', "b\n"]],
    ["an open string", "a = 'x\nb\n", undefined],
    ["an open bracket", "a = (\nb\n", undefined],
    ["a bracket that nothing opens", "a)\nb\n", undefined],
    ["a function in brackets", "a = (\ndef f():\n  b)\n", undefined],
    ["strings within strings", `a = f"{b["("]}"\nc\n`, undefined],
    ["a lone backslash", "a = \\ b\n", undefined],
    ["a form feed", "def f():\n  a\n\fb\n", undefined],
  ];

suite("statements of Python", () => {
  for (const [what, file, expected] of FILES) {
    it(`with ${what}`, () => {
      const found = statementsOf(file);
      assertEquals(found?.map(({ code }) => code), expected);
      if (found === undefined || found.length === 0) return;
      const whole = file.replace("\uFEFF", "").replaceAll(/\r\n?/g, "\n");
      assertEquals(found.map(({ text }) => text).join(""), whole.replace(/\n?$/, "\n"));
    });
  }

  it("in a time that grows as the file does", () => {
    const parts = [
      '\\"""',
      '"""x"',
      "@a\n",
      "(",
      "'",
      "#",
      "a\n",
      "def f():\n  a = 1\n",
      "\\\n",
      '"',
    ];
    for (const part of parts) {
      // Quadratic, it would take minutes.
      statementsOf(part.repeat(1_000_000 / part.length));
      statementsOf('"""' + part.repeat(1_000_000 / part.length));
    }
  });
});

suite("names in Python", () => {
  for (
    const [file, names] of [
      ["import a", ["a"]],
      ["import a.b as c, d", ["c", "d"]],
      ["from a import (b as c,\n d)", ["c", "d"]],
      ["@x\nasync def f(a): pass", ["f"]],
      ["class C(D):\n  e = 1", ["C"]],
      ["a, b = 1, 2", ["a", "b"]],
      ["a: int = 1", ["a"]],
      ["if a == 1: pass", []],
      ["a.b = 1", []],
      ["f(a=1)", []],
    ] as const
  ) it(JSON.stringify(file), () => assertEquals(statementsOf(file)!.flatMap(namesOf), [...names]));

  it("of modules that it imports", () => {
    const file =
      "import a.b, c as d\nfrom e.f import (g,\n h)\ndef f():\n  import i\nif x: import j; import k\n" +
      "from . import l\nfrom .m import n\ntext = '''\nimport no\n'''\n# import no\nimportant = 1\n";
    assertEquals(importsOf(file), ["a", "c", "e", "i", "j", "k", "", ""]);
    // Also where it cannot be split.
    assertEquals(importsOf(`import a\nb = f"{c["("]}"\n`), ["a"]);
  });
});

const MODEL =
  "def model_fn(model_dir):\n  model = 1\n  return model\n\ndef predict_fn(input_data, model):\n  return model\n";
const APP = "from flask import Flask, Response\napp = Flask(__name__)\n";

/** What a script has beside the functions of the model, and the names of what is kept of it. */
const SCRIPTS:
  readonly (readonly [what: string, script: string, kept: readonly string[] | undefined])[] = [
    ["no server", "import os\nX = 1\n", ["os", "X"]],
    ["Flask", `${APP}X = 1\n@app.route('/ping')\ndef ping(): return Response()\n`, ["X"]],
    [
      "another name",
      "import flask\ns = flask.Flask('x')\n@s.post('/invocations')\ndef i(): pass\n",
      [],
    ],
    [
      "the model and a main block",
      `${APP}model = model_fn('/m')\nif __name__ == '__main__':\n  app.run()\n`,
      [],
    ],
    ["helpers of routes", `${APP}def text(): return helper(Response)\ndef helper(x): return x\n`, [
      "helper",
    ]],
    ["what is made of it, in any order", `${APP}def late(): return api\napi = Api(app)\n`, []],
    ["extensions", `${APP}from flask_cors import CORS\nCORS(app)\n`, []],
    ["attributes of the same name", `${APP}def f(x): return x.app\n`, ["f"]],
    ["parameters of the same name", `${APP}def f(app): return app\n`, ["f"]],
    [
      "functions that import it",
      `${APP}def f():\n  from flask import request\n  return request\n`,
      [],
    ],
    ["something beside an import", `${APP}import flask, os\n`, undefined],
    ["two statements in a line", `${APP}X = 1; app.x = 2\n`, undefined],
    ["a model that needs it", `${APP}def predict_fn(input_data, model): return app.x\n`, undefined],
    [
      "a model of a global",
      `${APP}model = model_fn('/m')\ndef predict_fn(input_data, _): return model\n`,
      undefined,
    ],
    ["no Python", `${APP}x = (\n`, undefined],
    ["more than anybody writes", `${APP}${"x = 1\n".repeat(20_000)}`, undefined],
  ];

suite("a serving script without its server", () => {
  for (const [what, script, expected] of SCRIPTS) {
    it(`with ${what}`, () => {
      const parts = withoutServer(
        script.includes("def predict_fn") ? `${MODEL.split("\n\n")[0]}\n${script}` : MODEL + script,
      );
      const names = parts?.[0].flatMap(namesOf);
      assertEquals(names?.filter((name) => !/_fn$/.test(name)), expected);
      if (parts) assert(names!.includes("model_fn") && names!.includes("predict_fn"));
    });
  }

  it("with a long chain of names, in seconds", () => {
    const chain = Array.from({ length: 4000 }, (_, index) => `a${index} = a${index + 1}\n`).join(
      "",
    );
    assertEquals(withoutServer(`${MODEL}${chain}a4000 = 1\n${APP}`)?.[0].length, 4003);
    const cut = withoutServer(`${MODEL}${APP}${chain}a4000 = app\n`);
    assertEquals(cut?.[0].length, 2);
  });
});
