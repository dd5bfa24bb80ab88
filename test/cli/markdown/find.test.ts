/** Detection of the generator, and addresses that its settings decide. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findMarkdown } from '../../../src/cli/markdown/folder.ts'
import { findGenerator } from '../../../src/cli/markdown/generators/find.ts'
import { folderOf } from '../support/admin.ts'

async function generatorOf(files: Record<string, string>, dir: string) {
  await using folder = await folderOf(files)
  const root = join(folder.path, dir)
  return await findGenerator(root, (await findMarkdown(root)).files)
}

describe('the generator of a folder', () => {
  it.each<[what: string, files: Record<string, string>, dir: string, name: string | null, isVault?: boolean]>(
    [
      [
        'is that of the nearest configuration',
        { 'hugo.json': '{}', 'site/mkdocs.yml': 'x: !!python/name:a.b', 'site/docs/a.md': '' },
        'site/docs',
        'mkdocs',
      ],
      [
        'is none if its content is elsewhere',
        { 'hugo.toml': 'title = "Stray"', 'notes/a.md': '' },
        'notes',
        null,
      ],
      [
        'may be mounted by Hugo',
        { 'hugo.yaml': 'languages: { de: { contentDir: inhalt } }', 'inhalt/a.md': '' },
        'inhalt',
        'hugo',
      ],
      ['may be a part of a vault', { '.obsidian/app.json': '{}', 'Blog/A.md': '' }, 'Blog', 'obsidian', true],
      [
        'may be one whose content is a vault',
        { 'hugo.toml': '', 'content/.obsidian/app.json': '{}', 'content/posts/a.md': '' },
        'content/posts',
        'hugo',
        true,
      ],
      ['is not Logseq only by a name', { 'logseq/a.md': '' }, '.', null],
    ],
  )('%s', async (_, files, dir, name, isVault = false) => {
    expect(await generatorOf(files, dir)).toMatchObject({ name, isVault })
  })
})

it.each([
  ['pretty', '/c/2020/01/02/a/'],
  ['none', '/c/a.html'],
  ['/:year/:i_month/:title', '/2020/1/a'],
  ['/:unknown/:title', undefined],
])('posts of Jekyll with the permalink %s had the address %s', async (permalink, address) => {
  const path = '_posts/2020-01-02-a.md'
  const { addressOf } = await generatorOf({ '_config.yml': `permalink: ${permalink}`, [path]: '' }, '.')
  const page = { path, slug: undefined, title: 'A', date: '2020-01-02', day: undefined, language: undefined }
  expect(addressOf({ ...page, categories: ['C'] })).toBe(address)
})
