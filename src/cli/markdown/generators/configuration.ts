/** The project of a generator, and its configuration. */
import { join, posix } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { readText } from '../../files.ts'
import { isMapping } from '../fields.ts'
import type { Mapping } from '../metadata-lines.ts'

/** `files` are in the imported folder. `below` is the folder's path in the project, with a trailing slash, or ''. */
export type Project = { root: string; below: string; names: Set<string>; files: readonly string[] }

/** True if the imported folder is the project, or within its content `folder`. */
export function isBelow(below: string, folder: string): boolean {
  const path = posix.join(folder, '/')
  return below === '' || path === './' || path === '/' || below.startsWith(path)
}

export async function readConfiguration(root: string, name: string | undefined): Promise<Mapping> {
  if (name === undefined) return {}
  const text = await readText(join(root, name)).catch(() => '')
  try {
    const value: unknown = name.endsWith('.toml') ? parseToml(text) : parseYaml(text, { logLevel: 'error' })
    return isMapping(value) ? value : {}
  } catch {
    return {}
  }
}
