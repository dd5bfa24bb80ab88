/** The SQL of docs/secrets.md that replaces the Worker's role by a second one. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase, query } from '../support/databases.ts'

const PROJECT = join(import.meta.dirname, '../..')
const STEPS = [
  ...readFileSync(join(PROJECT, 'docs/secrets.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g),
].map(([, step]) => step!)

it('a second role replaces the one of the Worker, which works until it is closed', async () => {
  const server = inject('server')!
  const database = await createDatabase(server, inject('template')!)
  onTestFinished(database.drop)
  const first = new URL(database.workerUrl)
  const second = new URL(database.workerUrl)
  second.username = `${first.username}_2`
  onTestFinished(async () => void (await query(server, `drop role if exists ${second.username}`)))
  const run = (step: string) =>
    spawnSync('bash', ['-ec', step.replaceAll('hca_worker', first.username)], {
      env: { ...process.env, DATABASE_URL: database.url },
      encoding: 'utf8',
    })
  const addSite = (url: URL) =>
    query(url.href, "insert into sites (name, domain) values ('A', 'a.example.com')")
  const open = new pg.Client(first.href)
  const ended = new Promise((resolve) => open.on('error', resolve))
  await open.connect()

  expect(STEPS).toHaveLength(2)
  expect(run(STEPS[0]!)).toMatchObject({ status: 0, stderr: '' })
  for (const url of [first, second]) await addSite(url)
  expect(await query(second.href, 'show statement_timeout')).toEqual([{ statement_timeout: '1min' }])
  await expect(query(second.href, 'drop table posts')).rejects.toThrow(/must be owner/)

  expect(run(STEPS[1]!)).toMatchObject({ status: 0, stderr: '' })
  await ended
  await expect(addSite(first)).rejects.toThrow(/not permitted to log in/)
  await query(database.url, 'create table later (id int)')
  await query(second.href, 'select from later')
  await addSite(second)
  // As the trigger requires of the first role, too.
  await expect(query(second.href, "insert into audit_log (action) values ('x')")).rejects.toThrow(/audit/)
})
