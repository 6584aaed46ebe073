// `zone53 completion SHELL`: prints a script that completes commands, flags and the words that a flag takes. It is made
// from the commands themselves, so it knows all of them.
import { Argument, type Command, type Option } from 'commander';
import { NAMED_SOURCE_KEYS } from '../../lib/objects/source-settings.ts';
import type { Run } from './run-command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Flags that are followed by a path. */
const OF_PATHS = new Set(['--file', '--config', '--state', '--out', '--plan', '--token-file']);

/** Adds the command. */
export function addCompletion(program: Command, run: Run): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags in this shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(zone53 completion bash)                                     in ~/.bashrc
  source <(zone53 completion zsh)                                      in ~/.zshrc, after compinit
  zone53 completion fish > ~/.config/fish/completions/zone53.fish

Exit codes: 0 printed; 1 an unknown shell.
`,
    )
    .action((shell: Shell) => run.terminal.write(WRITERS[shell](commandsOf(program))));
}

/** What is completed after a flag: one of these words, a path, anything (null), or nothing as it takes no value. */
type Flag = {
  readonly names: readonly string[];
  readonly says: string;
  readonly takes: { readonly words: readonly string[] } | 'path' | 'text' | 'nothing';
};

type Completed = {
  readonly name: string;
  readonly says: string;
  readonly flags: readonly Flag[];
  readonly words: readonly string[];
  /** Its argument is a file. */
  readonly takesFile: boolean;
};

function commandsOf(program: Command): readonly Completed[] {
  return program.commands.map((command) => {
    const all = [command, ...command.commands];
    const registered = all.flatMap(({ registeredArguments }) => registeredArguments);
    const options = all.flatMap((one) => one.options);
    return {
      name: command.name(),
      says: command.description(),
      flags: [...options.map(flagOf), { names: ['-h', '--help'], says: 'show the help', takes: 'nothing' }],
      words: [
        ...command.commands.map((one) => one.name()),
        ...registered.flatMap(({ argChoices }) => argChoices ?? []),
      ],
      takesFile: registered.some((argument) => argument.name() === 'file'),
    };
  });
}

function flagOf({ short, long, description, argChoices, required, optional }: Option): Flag {
  const names = [short, long].flatMap((name) => name ?? []);
  const words = long === '--source' ? NAMED_SOURCE_KEYS : argChoices;
  const hasValue = required || optional;
  const takes = !hasValue
    ? 'nothing'
    : words !== undefined
      ? { words }
      : long !== undefined && OF_PATHS.has(long)
        ? 'path'
        : 'text';
  return { names, says: description, takes };
}

const WRITERS: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function bashScript(commands: readonly Completed[]): string {
  const cases = commands.flatMap(({ name, flags, words, takesFile }) => [
    ...flags.flatMap((flag) => valueCases(name, flag)),
    `    ${name}\\ *) COMPREPLY=($(compgen${takesFile ? ' -f' : ''} -W "${[...words, ...flags.flatMap(({ names }) => names)].join(' ')}" -- "$word")) ;;`,
  ]);
  return `# bash completion of zone53. In ~/.bashrc: source <(zone53 completion bash)
_zone53() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "$command $before" in
${cases.join('\n')}
  esac
}
complete -o filenames -F _zone53 zone53
`;
}

/** What follows a flag with a value. */
function valueCases(command: string, { names, takes }: Flag): readonly string[] {
  if (takes === 'nothing') return [];
  const reply =
    takes === 'path'
      ? 'COMPREPLY=($(compgen -f -- "$word"))'
      : takes === 'text'
        ? ':'
        : `COMPREPLY=($(compgen -W "${takes.words.join(' ')}" -- "$word"))`;
  return [`    ${names.map((name) => `${command}\\ ${name}`).join('|')}) ${reply} ;;`];
}

function zshScript(commands: readonly Completed[]): string {
  const named = commands.map(({ name, says }) => `    ${quoted(`${name}:${says}`)}`);
  const cases = commands.map(({ name, flags, words, takesFile }) => {
    const word = words.length === 0 ? [] : [quoted(`1:word:(${words.join(' ')})`)];
    const args = [...flags.flatMap(zshFlags), ...word, ...(takesFile ? [quoted('1:file:_files')] : [])];
    return `    ${name}) _arguments ${args.join(' ')} ;;`;
  });
  return `#compdef zone53
# zsh completion of zone53. In ~/.zshrc, after compinit: source <(zone53 completion zsh)
_zone53() {
  local -a commands
  commands=(
${named.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _zone53 zone53
`;
}

function zshFlags({ names, says, takes }: Flag): readonly string[] {
  const shown = says.replaceAll(/[[\]:]/g, ' ');
  const value =
    takes === 'nothing'
      ? ''
      : takes === 'path'
        ? ':path:_files'
        : takes === 'text'
          ? ':value:'
          : `:value:(${takes.words.join(' ')})`;
  return names.map((name) => quoted(`*${name}[${shown}]${value}`));
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, says, flags, words, takesFile }) => [
    `complete -c zone53 -n __fish_use_subcommand -f -a ${name} -d ${quoted(says)}`,
    ...words.map((word) => `complete -c zone53 -n '__fish_seen_subcommand_from ${name}' -f -a ${word}`),
    ...(takesFile ? [`complete -c zone53 -n '__fish_seen_subcommand_from ${name}' -F`] : []),
    ...flags.map((flag) => `complete -c zone53 -n '__fish_seen_subcommand_from ${name}' ${fishFlag(flag)}`),
  ]);
  return `# fish completion of zone53. In ~/.config/fish/completions/zone53.fish\n${lines.join('\n')}\n`;
}

function fishFlag({ names, says, takes }: Flag): string {
  const shown = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value =
    takes === 'nothing'
      ? '-f'
      : takes === 'path'
        ? '-r -F'
        : takes === 'text'
          ? '-x'
          : `-x -a ${quoted(takes.words.join(' '))}`;
  return `${shown.join(' ')} ${value} -d ${quoted(says)}`;
}

/** A word of a shell, in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
