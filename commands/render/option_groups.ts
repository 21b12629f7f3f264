/** Groups the options of a help. */

import { type NamedOption, OPTION_GROUPS, type OptionGroup } from "../options/option.ts";

export interface OptionsUnderHeading {
  readonly heading: OptionGroup;
  readonly options: readonly NamedOption[];
}

/** Returns the options under their headings, in the order of `OPTION_GROUPS`. */
export function optionGroups(options: readonly NamedOption[]): readonly OptionsUnderHeading[] {
  const groups = Map.groupBy(options, groupOf);
  return OPTION_GROUPS.map((heading) => ({ heading, options: groups.get(heading) ?? [] }))
    .filter(({ options }) => options.length > 0);
}

function groupOf([, option]: NamedOption): OptionGroup {
  const isRequired = option.value !== undefined && (option.required || option.needed);
  return isRequired ? "Required" : option.group ?? "Options";
}

/** Largest number of options that the help shows without `--help all`. */
const MOST_OPTIONS = 15;

/** Returns the options that most people need: all of them, if there are few. */
export function commonOptions(options: readonly NamedOption[]): readonly NamedOption[] {
  return options.length <= MOST_OPTIONS ? options : options.filter(([, { rare }]) => !rare);
}
