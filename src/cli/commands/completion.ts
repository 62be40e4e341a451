import { Argument, type Command } from 'commander';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { Session } from '../session.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export function addCompletion(program: Command, io: Io): void {
  const command = program
    .command('completion')
    .description('Prints a script that lets a shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      const session = new Session(command, io);
      const script = WRITERS[shell](commandsOf(program));
      await session.result({ shell, script }, script);
    });
  document(command, {
    examples: {
      'source <(pcae completion bash)': 'in ~/.bashrc',
      'source <(pcae completion zsh)': 'in ~/.zshrc, after compinit',
      'pcae completion fish > ~/.config/fish/completions/pcae.fish': 'for fish',
    },
    json: { shell: 'bash, zsh or fish', script: 'the script' },
  });
}

/** A command as completion sees it: its path below pcae, and what may follow. */
interface Completed {
  readonly path: string;
  readonly summary: string;
  readonly options: readonly {
    readonly flags: readonly string[];
    readonly about: string;
    readonly choices: readonly string[];
  }[];
  readonly words: readonly string[];
}

function commandsOf(command: Command, path = '', inherited: Completed['options'] = []): Completed[] {
  const own = command.options
    .filter((option) => !option.hidden)
    .map((option) => ({
      flags: [option.short, option.long].filter((flag): flag is string => flag !== undefined),
      about: option.description,
      choices: option.argChoices ?? [],
    }));
  const options = [...own, ...inherited];
  const words = [
    ...command.commands.map((sub) => sub.name()),
    ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  ];
  const below = command.commands.flatMap((sub) =>
    commandsOf(sub, path ? `${path} ${sub.name()}` : sub.name(), path ? inherited : own),
  );
  return [{ path, summary: command.summary(), options, words }, ...below];
}

const WRITERS: Record<Shell, (commands: readonly Completed[]) => string> = { bash, zsh, fish };

/**
 * The script for bash. The words typed so far, without options, name the command. After a dash it offers the
 * options of this command, otherwise the words that may follow, or files if any word may.
 */
function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ path, options, words }) => {
    const flags = options.flatMap((option) => option.flags);
    return `    "${path}") words="${words.join(' ')}" flags="${[...flags, '--help'].join(' ')}" ;;`;
  });
  const values = commands.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ flags, choices }) => `    "${path} ${flags.at(-1)}") words="${choices.join(' ')}" ;;`),
  );
  return `_pcae() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words="" flags=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${commands
        .filter(({ path }) => path !== '')
        .map(({ path }) => `"${path}"`)
        .join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$path $previous" in
${values.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n "$words" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _pcae pcae
`;
}

/** zsh understands the completions of bash. */
function zsh(commands: readonly Completed[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
}

function fish(commands: readonly Completed[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ path, options, words }) => {
    const names = path.split(' ').filter((name) => name !== '');
    const here = [...names.map((name) => `__fish_seen_subcommand_from ${name}`)];
    if (words.length > 0) here.push(`not __fish_seen_subcommand_from ${words.join(' ')}`);
    const condition = here.length > 0 ? ` -n ${quote(here.join('; and '))}` : '';
    const ownCondition = path
      ? ` -n ${quote(names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and '))}`
      : '';
    return [
      ...(words.length > 0 ? [`complete -c pcae${condition} -a ${quote(words.join(' '))}`] : []),
      ...options.map(({ flags, about, choices }) => {
        const names = flags.map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const values = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : '';
        return `complete -c pcae${ownCondition} ${names.join(' ')} -d ${quote(about)}${values}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}
