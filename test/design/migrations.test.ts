import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** These lock a table with rows while they read it. */
function blockingIndexes(migration: string): string[] {
  const found = migration.matchAll(
    /\bcreate\s+(?:unique\s+)?index\s+(?!concurrently)"?\w+"?\s+on\s+"?(\w+)/gi,
  )
  const made = (table: string) => new RegExp(`\\bcreate\\s+table\\s+"?${table}\\b`, 'i').test(migration)
  return [...found].map(([, table]) => table!).filter((table) => !made(table))
}

const FOLDER = 'drizzle/migrations'
/** It creates an empty database, which no Worker uses. */
const FIRST = ['0000_baseline.sql']

/** Statements that can break an older Worker. */
const BREAKING = [
  /\bdrop\s+(table|column|view|type|schema|function)\b/i,
  /\brename\b/i,
  /\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i,
  /\bset\s+not\s+null\b/i,
  /\bdrop\s+default\b/i,
  /\badd\s+column\b(?!.*\bdefault\b).*\bnot\s+null\b/is,
  // Also NOT VALID: it refuses new rows all the same.
  /\badd\s+(constraint|check|unique|primary\s+key|foreign\s+key|exclude)\b/i,
  /\bcreate\s+unique\s+index\b/i,
  /\brevoke\b/i,
]

/** The table that a statement changes. An older Worker does not know one that the migration created. */
const CHANGED_TABLE =
  /\b(?:alter\s+table|create\s+unique\s+index\b.*?\bon|revoke\b.*?\bon)\s+(?:only\s+)?"?(\w+)/is

/** The breaking statements, unless a comment says since when nothing uses the changed columns. */
function breakingStatements(migration: string): string[] {
  const made = [...migration.matchAll(/\bcreate\s+table\s+"?(\w+)/gi)].map(([, table]) => table)
  return migration.split('--> statement-breakpoint').filter((text) => {
    // A function's body runs when the function is called.
    const statement = text.replaceAll(/(\$\w*\$).*?\1/gs, '').replaceAll(/--.*/g, '')
    const isExcused = /^-- Contract: \S/m.test(text) || made.includes(CHANGED_TABLE.exec(statement)?.[1])
    return !isExcused && BREAKING.some((pattern) => pattern.test(statement))
  })
}

describe('a migration', () => {
  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.sql')))(
    '%s has a row in the changelog that says what it does to the database',
    (name) => {
      expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`| \`${name.replace('.sql', '')}\` | `)
    },
  )

  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.sql') && !FIRST.includes(name)))(
    '%s is safe while the old Worker runs, or gives the reason why it need not be',
    (name) => {
      expect(breakingStatements(readFileSync(`${FOLDER}/${name}`, 'utf8'))).toEqual([])
    },
  )

  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.sql')))(
    '%s builds indexes on tables with rows concurrently',
    (name) => {
      expect(blockingIndexes(readFileSync(`${FOLDER}/${name}`, 'utf8'))).toEqual([])
    },
  )

  it.each([
    'DROP TABLE a;',
    'ALTER TABLE a DROP COLUMN b;',
    'ALTER TABLE a RENAME COLUMN b TO c;',
    'ALTER TABLE a ALTER COLUMN b SET DATA TYPE text;',
    'ALTER TABLE a ALTER COLUMN b SET NOT NULL;',
    'ALTER TABLE a ADD COLUMN b text NOT NULL;',
    "ALTER TABLE a ADD CONSTRAINT c CHECK (b <> '') NOT VALID;",
    'ALTER TABLE a ADD UNIQUE (b);',
    'CREATE UNIQUE INDEX c ON a (b);',
    'DROP FUNCTION f(text);',
    'REVOKE UPDATE ON a FROM hca_worker;',
  ])('%s needs a reason', (statement) => {
    expect(breakingStatements(statement)).toEqual([statement])
    expect(breakingStatements(`-- Contract: nothing reads it since 1.4\n${statement}`)).toEqual([])
  })

  it.each([
    'CREATE TABLE a (b text NOT NULL);',
    "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '';",
    'ALTER TABLE a ADD COLUMN b text;',
    'CREATE OR REPLACE FUNCTION f() RETURNS trigger AS $$ BEGIN DROP TABLE a; END $$;',
    'CREATE OR REPLACE FUNCTION f() RETURNS trigger AS $function$ BEGIN DROP TABLE a; END $function$;',
    'DROP TRIGGER t ON a; -- not a rename',
    'CREATE INDEX c ON a (b);',
    'CREATE TABLE "a" (b text);\n--> statement-breakpoint\nCREATE UNIQUE INDEX c ON "a" USING btree ("b");',
  ])('%s does not', (statement) => {
    expect(breakingStatements(statement)).toEqual([])
  })
})
