/** The operator's command line: `npm run -s admin -- <noun> <verb> …`, a client of /manage/v1. */
import { Command, CommanderError } from 'commander'
import { connectionFlags } from './command.ts'
import { addGuide } from './guide.ts'
import { addImport } from './import.ts'
import { addKey } from './key.ts'
import { addDelivery, addEvent } from './log.ts'
import { writeError, writeJson } from './output.ts'
import { addPost } from './post.ts'
import { addSite } from './site.ts'
import { addTraining } from './training.ts'
import { addWebhook } from './webhook.ts'

const program = new Command('admin')
  .description('Writes content, keys and webhooks of the headless content API.')
  // The flags of the program stand in front of the noun, so that a verb may have a --url of its own.
  .enablePositionalOptions()
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  .showHelpAfterError('(--help shows what can be given)')
for (const flag of connectionFlags()) program.addOption(flag)
for (const add of [
  addSite,
  addKey,
  addPost,
  addGuide,
  addTraining,
  addWebhook,
  addEvent,
  addDelivery,
  addImport,
]) {
  add(program)
}

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  await program.parseAsync()
} catch (error) {
  fail(error)
}

function fail(error: unknown): void {
  if (error instanceof CommanderError && error.exitCode === 0) return
  process.exitCode = 1
  const usage = error instanceof CommanderError
  const message = usage ? usageMessage(error) : (error as Error).message
  if (!usage) writeError(message)
  if (process.argv.includes('--json')) writeJson({ error: message })
}

function usageMessage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'a command is missing'
  return error.message.replace(/^error: /, '')
}
