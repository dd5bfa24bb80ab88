/** The commands of docs/runbooks.md, so that a rehearsal runs what the page says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkerService } from './service.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/runbooks.md'), 'utf8')

/** Runs a command of the page with values for its words in capitals, and returns its JSON. */
export async function follow(service: WorkerService, command: string, values: Record<string, string>) {
  if (!PAGE.includes(`\`${command}`)) throw new Error(`docs/runbooks.md has no \`${command}\``)
  const filled = command.replaceAll(/\b[A-Z][A-Z\d]+\b|…/g, (word) => values[word] ?? word)
  return JSON.parse(await service.admin(`--json ${filled}`))
}
