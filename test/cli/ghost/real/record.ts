/** Records a real Ghost's answers for the daily tests. `RECORD=1` makes `real.test.ts` do it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Row } from './admin-api.ts'
import type { Site } from './ghost.ts'

export const FOLDER = join(import.meta.dirname, '../recordings')
export const RECORDED_URL = 'https://pier.example'
const SETTINGS = new Set(['db_hash', 'locale', 'timezone', 'title'])
const OF_USERS = ['id', 'name', 'slug', 'website']

type Tables = Record<string, Record<string, unknown>[]>

export async function record(site: Site): Promise<void> {
  const write = (name: string, text: string) =>
    writeFile(join(FOLDER, name), `${text.replaceAll(site.url, RECORDED_URL)}\n`)
  const { db } = JSON.parse(await site.exported()) as { db: [{ meta: object; data: Tables }] }
  const data = Object.entries(withoutSecrets(db[0].data)).map(
    ([table, rows]) => `${JSON.stringify(table)}:${lines(rows)}`,
  )
  await write('pier.json', `{"db":[{"meta":${JSON.stringify(db[0].meta)},"data":{\n${data.join(',\n')}}}]}`)
  await write('pier-rows.json', lines((await site.rows()).map(short)))
  await write('redirects.json', lines(JSON.parse(await site.redirects())))
}

/** An array with a row on each line. */
export const lines = (rows: unknown[]) => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`

/** Tables that are not read are only counted, and users and settings have no credentials. */
function withoutSecrets(data: Tables): Tables {
  const kept = (table: string, row: Record<string, unknown>) => {
    if (table === 'posts') return { ...row, plaintext: null }
    if (/^posts_|^tags$/.test(table)) return row
    if (table === 'users') return Object.fromEntries(OF_USERS.map((name) => [name, row[name]]))
    if (table !== 'settings' || !SETTINGS.has(String(row.key))) return {}
    return { key: row.key, value: row.key === 'db_hash' ? 'of a Ghost of the tests' : row.value }
  }
  return Object.fromEntries(
    Object.entries(data).map(([table, rows]) => [table, rows.map((row) => kept(table, row))]),
  )
}

function short(row: Row): object {
  const person = ({ name, website }: Record<string, unknown>) => ({ name, website })
  const tag = ({ name }: Record<string, unknown>) => ({ name })
  const { authors, primary_author, tags, primary_tag, lexical: _, mobiledoc: __, ...fields } = row
  return {
    ...fields,
    authors: (authors as Row[]).map(person),
    primary_author: person(primary_author as Row),
    tags: (tags as Row[]).map(tag),
    primary_tag: primary_tag && tag(primary_tag as Row),
  }
}
