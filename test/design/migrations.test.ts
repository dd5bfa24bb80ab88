import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const FOLDER = 'drizzle/migrations'
/** They make an empty database, on which no Worker runs. */
const FIRST = ['0000_tables.sql', '0001_triggers.sql']

/** What a Worker of before may stumble over. */
const BREAKING = [
  /\bdrop\s+(table|column|view|type|schema)\b/i,
  /\brename\b/i,
  /\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i,
  /\bset\s+not\s+null\b/i,
  /\bdrop\s+default\b/i,
  /\badd\s+column\b(?!.*\bdefault\b).*\bnot\s+null\b/is,
]

/** The statements that break it, unless a comment says since when nothing uses what they change. */
function breakingStatements(migration: string): string[] {
  return migration.split('--> statement-breakpoint').filter((text) => {
    // A function's body is run by those who call the function.
    const statement = text.replaceAll(/\$\$.*?\$\$/gs, '').replaceAll(/--.*/g, '')
    return !/^-- Contract: \S/m.test(text) && BREAKING.some((pattern) => pattern.test(statement))
  })
}

describe('a migration', () => {
  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.sql') && !FIRST.includes(name)))(
    '%s is one that the running Worker survives, or says why it need not',
    (name) => {
      expect(breakingStatements(readFileSync(`${FOLDER}/${name}`, 'utf8'))).toEqual([])
    },
  )

  it.each([
    'DROP TABLE a;',
    'ALTER TABLE a DROP COLUMN b;',
    'ALTER TABLE a RENAME COLUMN b TO c;',
    'ALTER TABLE a ALTER COLUMN b SET DATA TYPE text;',
    'ALTER TABLE a ALTER COLUMN b SET NOT NULL;',
    'ALTER TABLE a ADD COLUMN b text NOT NULL;',
  ])('%s needs a reason', (statement) => {
    expect(breakingStatements(statement)).toEqual([statement])
    expect(breakingStatements(`-- Contract: nothing reads it since 1.4\n${statement}`)).toEqual([])
  })

  it.each([
    'CREATE TABLE a (b text NOT NULL);',
    "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '';",
    'ALTER TABLE a ADD COLUMN b text;',
    'CREATE OR REPLACE FUNCTION f() RETURNS trigger AS $$ BEGIN DROP TABLE a; END $$;',
    'DROP TRIGGER t ON a; -- not a rename',
  ])('%s does not', (statement) => {
    expect(breakingStatements(statement)).toEqual([])
  })
})
