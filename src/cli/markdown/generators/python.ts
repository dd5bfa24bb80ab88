/** MkDocs (https://www.mkdocs.org/user-guide/configuration/) and Pelican (https://docs.getpelican.com/en/latest/settings.html). */
import { join } from 'node:path'
import { readText } from '../../files.ts'
import { scalar } from '../fields.ts'
import { isBelow, type Project, readConfiguration } from './configuration.ts'
import { anyGenerator, type Generator } from './generator.ts'

export async function mkdocs({ root, below, names, files }: Project): Promise<Generator | null> {
  const name = [...names].find((each) => /^mkdocs\.ya?ml$/.test(each))
  const folder = scalar((await readConfiguration(root, name)).docs_dir) ?? 'docs'
  return isBelow(below, folder) ? { ...anyGenerator(files), name: 'mkdocs', below } : null
}

export async function pelican({ root, below, files }: Project): Promise<Generator | null> {
  const settings = await readText(join(root, 'pelicanconf.py')).catch(() => '')
  const folder = /^PATH\s*=\s*["'](.+?)["']/m.exec(settings)?.[1] ?? 'content'
  return isBelow(below, folder) ? { ...anyGenerator(files), name: 'pelican', below } : null
}
