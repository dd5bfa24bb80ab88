/** Detects the generator from a configuration in or above the folder, or from file names. */
import { dirname, relative, sep } from 'node:path'
import { readdir } from '../../files.ts'
import { isMapping } from '../fields.ts'
import { type Project, readConfiguration } from './configuration.ts'
import { docusaurus } from './docusaurus.ts'
import { eleventy } from './eleventy.ts'
import { anyGenerator, type Generator } from './generator.ts'
import { hexo } from './hexo.ts'
import { hugo } from './hugo.ts'
import { jekyll } from './jekyll.ts'
import { obsidian } from './obsidian.ts'
import { mkdocs, pelican } from './python.ts'
import { isZola, zola } from './zola.ts'

/** Levels from a content folder up to its project. */
const MAX_LEVELS = 5

/** `open` returns null for a folder outside the project's content. */
type Kind = { marks: RegExp; open: (project: Project) => Promise<Generator | null> }

const KINDS: Kind[] = [
  { marks: /^docusaurus\.config\.[cm]?[jt]s$|^_category_\.(?:json|ya?ml)$/, open: docusaurus },
  {
    marks: /^astro\.config\.[cm]?[jt]s$/,
    open: async ({ below, files }) => ({ ...anyGenerator(files), name: 'astro', below }),
  },
  { marks: /^\.eleventy\.js$|^eleventy\.config\.[cm]?[jt]s$/, open: eleventy },
  { marks: /^hugo\.(?:toml|ya?ml|json)$/, open: hugo },
  { marks: /^_config\.ya?ml$/, open: jekyll },
  {
    marks: /^logseq$/,
    open: async ({ below, names, files }) =>
      names.has('pages') || names.has('journals') ? { ...anyGenerator(files), name: 'logseq', below } : null,
  },
  { marks: /^mkdocs\.ya?ml$/, open: mkdocs },
  { marks: /^pelicanconf\.py$/, open: pelican },
]
/** Hugo's file name until version 0.110. */
const OLD_HUGO = /^config\.(?:toml|ya?ml|json)$/

export async function findGenerator(folder: string, files: readonly string[]): Promise<Generator> {
  let root = folder
  let vault: Project | undefined
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const names = new Set((await readdir(root).catch(() => [])).map(({ name }) => name))
    const below = relative(root, folder).split(sep).filter(Boolean).join('/')
    const project = { root, names, files, below: below && `${below}/` }
    if (names.has('.obsidian')) vault ??= project
    for (const open of await openersOf(root, names)) {
      const generator = await open(project)
      if (generator) return { ...generator, isVault: vault !== undefined }
    }
    if (names.has('.git') || dirname(root) === root) break
    root = dirname(root)
  }
  if (vault) return obsidian(vault)
  const project = { root: folder, below: '', names: new Set<string>(), files }
  if (files.some((file) => /(?:^|\/)_posts\//.test(file))) return jekyll(project)
  return anyGenerator(files)
}

async function openersOf(root: string, names: Set<string>): Promise<Kind['open'][]> {
  const has = (marks: RegExp) => [...names].some((name) => marks.test(name))
  const openers = KINDS.filter(({ marks }) => has(marks)).map(({ open }) => open)
  if (openers.includes(jekyll) && (await isHexo(root, names)))
    openers.splice(openers.indexOf(jekyll), 1, hexo)
  if (openers.length > 0) return openers
  if (await isZola(root, names)) return [zola]
  return names.has('content') && has(OLD_HUGO) ? [hugo] : []
}

/** Jekyll also has a `_config.yml`. */
async function isHexo(root: string, names: Set<string>): Promise<boolean> {
  if (names.has('scaffolds')) return true
  const { hexo: own, dependencies } = await readConfiguration(
    root,
    names.has('package.json') ? 'package.json' : undefined,
  )
  return own !== undefined || (isMapping(dependencies) && dependencies.hexo !== undefined)
}
