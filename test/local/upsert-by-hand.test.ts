import pg from 'pg'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { createDatabase, query } from '../support/databases.ts'
import { IN_TIME } from '../support/in-time.ts'
import type {} from '../support/stack.ts'

const SITE = '00000000-0000-4000-8000-000000000001'

it.runIf(inject('server'))(
  'an upsert by hand of a post that is deleted meanwhile inserts it as a new one',
  async () => {
    const { url, drop } = await createDatabase(inject('server')!, inject('template')!)
    onTestFinished(drop)
    const connect = async () => {
      const client = new pg.Client(url)
      await client.connect()
      onTestFinished(() => client.end())
      return client
    }
    const [deleting, upserting] = [await connect(), await connect()]
    const upsert = (client: pg.Client) =>
      client.query(
        `insert into posts (site_id, slug, title, content_html, language) values ('${SITE}', 'a', 'A', '<p>A</p>', 'EN')
         on conflict (site_id, slug) do update set title = excluded.title || '!'`,
      )
    await query(url, `insert into sites (id, name, domain) values ('${SITE}', 'A', 'a.example.com')`)
    await upsert(deleting)
    await deleting.query(`begin; select lock_site('${SITE}'); delete from posts`)
    const upserted = upsert(upserting)
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
    await deleting.query('commit')
    await upserted
    const rows = await query(
      url,
      `select language_key, wire_bytes > 0 as "isMeasured", updated_at > (select max(deleted_at) from tombstones) as "isLater" from posts`,
    )
    expect(rows).toEqual([{ language_key: 'en', isMeasured: true, isLater: true }])
  },
)
