/** Zola has the same folders as Hugo (https://www.getzola.org/documentation/content/page/). */
import { posix } from 'node:path'
import { splitDate } from '../../../transfer/slug.ts'
import { scalar } from '../fields.ts'
import { type Project, readConfiguration } from './configuration.ts'
import type { Generator } from './generator.ts'
import { hugo } from './hugo.ts'

/** Hugo spells it `baseURL`. */
export async function isZola(root: string, names: Set<string>): Promise<boolean> {
  if (names.has('zola.toml')) return true
  return (
    names.has('config.toml') && scalar((await readConfiguration(root, 'config.toml')).base_url) !== undefined
  )
}

export async function zola(project: Project): Promise<Generator | null> {
  const name = project.names.has('zola.toml') ? 'zola.toml' : 'config.toml'
  const url = scalar((await readConfiguration(project.root, name)).base_url)
  const like = await hugo(project)
  return (
    like && {
      ...like,
      name: 'zola',
      basePath: (URL.parse(url ?? '')?.pathname ?? '').replace(/\/+$/, ''),
      addressOf({ path, ...page }) {
        const { rest } = splitDate(posix.basename(path))
        return like.addressOf({ ...page, path: posix.join(posix.dirname(path), rest) })
      },
    }
  )
}
