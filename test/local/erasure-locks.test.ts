import pg from 'pg'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { createDatabase, query } from '../support/databases.ts'
import { IN_TIME } from '../support/in-time.ts'
import type {} from '../support/stack.ts'

const SITE = '00000000-0000-4000-8000-000000000001'
const PERSON = '00000000-0000-4000-8000-000000000002'

it.runIf(inject('server'))('writers do not wait while an erasure changes a long audit log', async () => {
  const { url, drop } = await createDatabase(inject('server')!, inject('template')!)
  onTestFinished(drop)
  const connect = async () => {
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const [reading, erasing, writing] = [await connect(), await connect(), await connect()]
  await erasing.query(`
    insert into sites (id, name, domain) values ('${SITE}', 'A', 'a.example.com');
    insert into operators (id, name, role) values ('${PERSON}', 'Ada', 'editor');
    set audit.actor = 'Ada'; set audit.actor_id = '${PERSON}';
    insert into posts (site_id, slug, title, content_html, quality_band, ready_at)
      values ('${SITE}', 'a', 'A', '<p>A</p>', 'premium', now());
    reset audit.actor; reset audit.actor_id;
    delete from operators`)
  // The erasure stops at the log.
  await reading.query(`begin; select from audit_log where actor_id = '${PERSON}' for update`)
  const erased = erasing.query(`select erase_person('${PERSON}')`)
  await vi.waitUntil(
    async () =>
      (
        await query(
          url,
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).length > 0,
    IN_TIME,
  )
  await writing.query(`set lock_timeout = '5s'; update posts set title = 'B'`)
  await reading.query('commit')
  await erased
  expect(await query(url, 'select title, ready_by from posts')).toEqual([
    { title: 'B', ready_by: 'Erased person' },
  ])
})
