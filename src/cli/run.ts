/** One run of the command line, which uses only what it is given of the process. */
import { Command, CommanderError } from 'commander'
import { connectionFlags, Incomplete } from './command.ts'
import { addAuditLog } from './commands/audit-log.ts'
import { addExport } from './commands/export.ts'
import { addGuide } from './commands/guide.ts'
import { addImport } from './commands/import.ts'
import { addKey } from './commands/key.ts'
import { addDelivery, addEvent } from './commands/log.ts'
import { addOperator } from './commands/operator.ts'
import { addPost } from './commands/post.ts'
import { addSite } from './commands/site.ts'
import { addSitemap } from './commands/sitemap.ts'
import { addSweep } from './commands/sweep.ts'
import { addTraining } from './commands/training.ts'
import { addWebhook } from './commands/webhook.ts'
import type { Io } from './io.ts'
import { writeError, writeJson } from './output.ts'

const NOUNS = [
  addSite,
  addKey,
  addPost,
  addGuide,
  addSitemap,
  addTraining,
  addWebhook,
  addEvent,
  addDelivery,
  addImport,
  addExport,
  addOperator,
  addAuditLog,
  addSweep,
]

/** Runs `argv`, such as `['site', 'list', '--json']`; the exit code, 0 only if all was done. */
export async function run(argv: string[], io: Io): Promise<number> {
  try {
    await programOf(io).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (!(error instanceof Incomplete)) tell(io, error, argv.includes('--json'))
    return 1
  }
}

function programOf(io: Io): Command {
  const program = new Command('admin')
    .description('Writes content, keys and webhooks of the headless content API.')
    // The program's flags go before the noun, so that a verb can have its own --url.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
    })
    .showHelpAfterError('(--help shows what can be given)')
  for (const flag of connectionFlags()) program.addOption(flag)
  for (const addNoun of NOUNS) addNoun(program, io)
  return program
}

function tell(io: Io, error: unknown, asJson: boolean): void {
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
