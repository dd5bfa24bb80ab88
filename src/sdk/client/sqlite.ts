/** A store in an SQLite database, for Node 22.13 and newer. It can share a database with other tables. */
import { DatabaseSync } from 'node:sqlite'
import { type ContentOf, type Entry, keyOf, type Resource, type Store } from './store.ts'

const BUSY_MS = 10_000
/** Rows per read of `list`: short reads don't block commits. */
const LISTED = 200

const TABLES = `
  create table if not exists content_state (one integer primary key check (one = 1), text text not null);
  create table if not exists content (
    resource text not null, id text not null, slug text not null, round integer not null, json text not null,
    primary key (resource, id)
  );
  create index if not exists content_by_slug on content (resource, slug);`

type Row = { resource: Resource; id: string; round: number; json: string }

export function sqliteStore(path: string): Store {
  const db = new DatabaseSync(path)
  db.exec(`pragma busy_timeout = ${BUSY_MS}`)
  inTransaction(() => db.exec(TABLES))
  const selectState = db.prepare('select text from content_state')
  const upsertState = db.prepare(
    'insert into content_state values (1, ?) on conflict do update set text = excluded.text',
  )
  const upsert = db.prepare('insert or replace into content values (?, ?, ?, ?, ?)')
  const remove = db.prepare('delete from content where resource = ? and id = ?')
  const selectBySlug = db.prepare('select json from content where resource = ? and slug = ?')
  const selectNext = db.prepare(
    `select resource, id, round, json from content where (resource, id) > (?, ?) order by resource, id limit ${LISTED}`,
  )

  const state = () => (selectState.get() as { text: string } | undefined)?.text ?? null

  function inTransaction<Result>(work: () => Result): Result {
    db.exec('begin immediate')
    try {
      const result = work()
      db.exec('commit')
      return result
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }

  return {
    state: async () => state(),
    commit: async (commit) =>
      inTransaction(() => {
        if (state() !== commit.from) return false
        for (const { resource, id } of commit.remove) remove.run(resource, id)
        for (const entry of commit.put) {
          const { resource, id } = keyOf(entry)
          upsert.run(resource, id, entry.content.slug, entry.round, JSON.stringify(entry.content))
        }
        upsertState.run(commit.to)
        return true
      }),
    async get<Kind extends Resource>(resource: Kind, slug: string) {
      const row = selectBySlug.get(resource, slug) as Pick<Row, 'json'> | undefined
      return row ? (JSON.parse(row.json) as ContentOf<Kind>) : null
    },
    async *list() {
      for (let last = { resource: '', id: '' }; ; ) {
        const rows = selectNext.all(last.resource, last.id) as Row[]
        for (const { resource, round, json } of rows) {
          yield { resource, round, content: JSON.parse(json) } as Entry
        }
        if (rows.length < LISTED) return
        last = rows.at(-1)!
      }
    },
    close: async () => db.close(),
  }
}
