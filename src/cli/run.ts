/** Runs the command line on the given Io, without access to the process. */

import { Command, CommanderError } from 'commander'
import { add, connectionFlags, Incomplete } from './command.ts'
import { ALERT } from './commands/alert.ts'
import { GUIDE, POST } from './commands/article.ts'
import { AUDIT_LOG } from './commands/audit-log.ts'
import { EXPORT } from './commands/export.ts'
import { IMPORT } from './commands/import.ts'
import { KEY } from './commands/key.ts'
import { DELIVERY, EVENT } from './commands/log.ts'
import { OPERATOR } from './commands/operator.ts'
import { REDIRECT } from './commands/redirect.ts'
import { SITE } from './commands/site.ts'
import { SITEMAP } from './commands/sitemap.ts'
import { SWEEP } from './commands/sweep.ts'
import { TRAINING } from './commands/training.ts'
import { USAGE } from './commands/usage.ts'
import { WEBHOOK } from './commands/webhook.ts'
import type { Io } from './io.ts'
import { writeError, writeJson } from './output.ts'

/** In the order of --help. */
const COMMANDS = [
  SITE,
  KEY,
  POST,
  GUIDE,
  SITEMAP,
  REDIRECT,
  TRAINING,
  WEBHOOK,
  EVENT,
  DELIVERY,
  ALERT,
  USAGE,
  IMPORT,
  EXPORT,
  OPERATOR,
  AUDIT_LOG,
  SWEEP,
]

/** @returns the exit code; 0 only if everything was done */
export async function run(argv: string[], io: Io): Promise<number> {
  try {
    await programOf(io).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (!(error instanceof Incomplete)) reportError(io, error, argv.includes('--json'))
    return 1
  }
}

function programOf(io: Io): Command {
  const program = new Command('admin')
    .description('Manages content, keys and webhooks of the headless content API.')
    // The program's flags go before the noun, so that a verb can have its own --url.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
    })
    .showHelpAfterError('(see --help)')
  for (const flag of connectionFlags()) program.addOption(flag)
  for (const command of COMMANDS) add(program, io, command)
  return program
}

function reportError(io: Io, error: unknown, asJson: boolean): void {
  const usage = error instanceof CommanderError
  const message = usage ? usageMessage(error) : (error as Error).message
  // Commander has already written the usage error.
  if (!usage) writeError(io, message)
  if (asJson) writeJson(io, { error: message })
}

function usageMessage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'a command is missing'
  return error.message.replace(/^error: /, '')
}

const DEFAULT_WIDTH = 80
const widthOf = ({ isTTY, columns }: Io['stdout']) => (isTTY && columns) || DEFAULT_WIDTH
