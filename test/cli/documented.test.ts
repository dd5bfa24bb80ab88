import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { admin } from './support/admin.ts'

const PAGES = ['README.md', ...globSync(['docs/*.md', 'docs/guide/*.md'])]
const COMMANDS = PAGES.flatMap((page) => commandsOf(readFileSync(page, 'utf8')))

/** The arguments of each documented `npm run -s admin -- …`, except for a shell function's own. */
function commandsOf(page: string): string[] {
  const joined = page.replace(/\\\n\s*/g, ' ')
  return [...joined.matchAll(/npm run -s admin -- (?!"\$\{@)([^#`|\n]+)/g)].map(([, args]) =>
    // A substitution is one argument; a closing one belongs to the line around the command.
    args!
      .replace(/\$\(.*/, 'ID')
      .trim()
      .replace(/\)$/, ''),
  )
}

/** As a shell splits them, without what it would insert. */
function split(command: string): string[] {
  const pieces = command.matchAll(/"([^"]*)"|\S+/g)
  return [...pieces].map(([piece, quoted]) => quoted ?? piece)
}

describe('the commands of the README, the guide and the pages for operators', () => {
  it('are found', () => {
    expect(new Set(COMMANDS).size).toBeGreaterThan(50)
  })

  it.each([...new Set(COMMANDS)])('%s is accepted', async (command) => {
    const { stderr } = await admin(split(command))
    expect(stderr).not.toContain('(see --help)')
  })
})
