/** Which generator a folder is of: by the configuration in it or above it, or else by how its files are called. */
import { readdir } from 'node:fs/promises'
import { dirname, relative, sep } from 'node:path'
import type { Project } from './configuration.ts'
import { docusaurus } from './docusaurus.ts'
import { eleventy } from './eleventy.ts'
import { anyGenerator, type Generator } from './generator.ts'
import { hugo } from './hugo.ts'
import { jekyll } from './jekyll.ts'
import { obsidian } from './obsidian.ts'

/** A folder of content is at most that far below its project. */
const MAX_LEVELS = 5

type Kind = { marks: RegExp; open: (project: Project) => Promise<Generator> }

const KINDS: Kind[] = [
  { marks: /^docusaurus\.config\.[cm]?[jt]s$|^_category_\.(?:json|ya?ml)$/, open: docusaurus },
  {
    marks: /^astro\.config\.[cm]?[jt]s$/,
    open: async ({ below, files }) => ({ ...anyGenerator(files), name: 'astro', below }),
  },
  { marks: /^\.eleventy\.js$|^eleventy\.config\.[cm]?[jt]s$/, open: eleventy },
  { marks: /^hugo\.(?:toml|ya?ml|json)$/, open: hugo },
  { marks: /^\.obsidian$/, open: obsidian },
  { marks: /^_config\.ya?ml$/, open: jekyll },
]
/** The file of Hugo before it had a name of its own. */
const OLD_HUGO = /^config\.(?:toml|ya?ml|json)$/

export async function findGenerator(folder: string, files: readonly string[]): Promise<Generator> {
  let root = folder
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const names = new Set(await readdir(root).catch(() => []))
    const below = relative(root, folder).split(sep).filter(Boolean).join('/')
    const project = { root, names, files, below: below && `${below}/` }
    const kind = KINDS.find(({ marks }) => [...names].some((name) => marks.test(name)))
    // Hexo has a `_config.yml` too.
    if (kind && !(kind.open === jekyll && names.has('scaffolds'))) return kind.open(project)
    if (names.has('content') && [...names].some((name) => OLD_HUGO.test(name))) return hugo(project)
    if (names.has('.git') || dirname(root) === root) break
    root = dirname(root)
  }
  const project = { root: folder, below: '', names: new Set<string>(), files }
  if (files.some((file) => /(?:^|\/)_posts\//.test(file))) return jekyll(project)
  return anyGenerator(files)
}
