import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const SOURCES = globSync(['functions/**/*.{ts,tsx}', 'src/**/*.{ts,tsx}'], {
  exclude: ['functions/public/**', 'src/{cli,local,sdk}/**'],
})
const CALL = /\b(?:log|createLog\(\{[^}]*\}\))\(\s*'([\w.]+)'/g
const ROW = /^\| `([\w.]+)` \| .+ \| .+ \|$/gm

it('docs/log-events.md explains each event that the Worker logs, in order, and no other', () => {
  const logged = SOURCES.flatMap((file) => namesIn(readFileSync(file, 'utf8'), CALL))
  const explained = namesIn(readFileSync('docs/log-events.md', 'utf8'), ROW)
  expect(logged.length).toBeGreaterThan(30)
  expect(explained).toEqual([...new Set(logged)].sort())
})

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!)
