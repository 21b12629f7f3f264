/** What nothing starts by torchrun, here and on SageMaker: the arguments of both, and its name. */
export const NO_TORCHRUN = [
  [["--command", "x"], "a command"],
  [["--launcher", "image"], "the program of "],
  [["--entry-point", "run.sh"], "run.sh."],
  [["--entry-point", "shop/train.py"], "shop.train."],
] as const;

/** The code of those. */
export const OTHER_CODE = ["run.sh", "setup.py", "shop/train.py"];
