/** Upstash locks its whole database for a script that does not declare less. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../../src')
const SCRIPT = /`(?:[^`\\]|\\.)*\bredis\.call\((?:[^`\\]|\\.)*`/g

it('every script that the Worker sends to Redis locks only its own keys', () => {
  const scripts = globSync('{access,content,core,freshness,people,sites,webhooks}/**/*.ts', {
    cwd: SRC,
  }).flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(SCRIPT) ?? [])
  expect(scripts.length).toBeGreaterThan(5)
  expect(scripts.filter((script) => !/^`\$\{(ON_LEADER|LOCKS_KEYS)\}/.test(script))).toEqual([])
})
