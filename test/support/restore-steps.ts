/** The database commands among the steps of docs/restore.md, and a shell for them. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { createDatabase, query } from './databases.ts'

const PROJECT = join(import.meta.dirname, '../..')

export const RESTORE_STEPS = [
  ...readFileSync(join(PROJECT, 'docs/restore.md'), 'utf8')
    .split('\n## Restore\n')[1]!
    .matchAll(/```sh\n([\s\S]*?)```/g),
].map(([, command]) => command!.trim())

/** A shell with the owner's URL of a database as DATABASE_URL, and with `workerRole` in place of the role of the Worker. */
export function ownersShell(url: string, workerRole: string) {
  const folder = mkdtempSync(join(tmpdir(), 'restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const grants = join(folder, 'worker-role.sql')
  const written = readFileSync(join(PROJECT, 'drizzle/worker-role.sql'), 'utf8')
  writeFileSync(grants, written.replaceAll('hca_worker', workerRole))
  const env = { ...process.env, DATABASE_URL: url, BACKUP: join(folder, 'backup') }
  return (command: string) => {
    const text = command.replace('drizzle/worker-role.sql', grants)
    return spawnSync('bash', ['-ec', text], { cwd: PROJECT, env, encoding: 'utf8' })
  }
}

/** An empty database with a role for the Worker, and a shell. */
export async function emptyDatabase() {
  const database = await createDatabase(inject('server')!)
  onTestFinished(database.drop)
  await query(database.url, `grant temporary on database ${database.name} to public`)
  return { database, run: ownersShell(database.url, new URL(database.workerUrl).username) }
}
