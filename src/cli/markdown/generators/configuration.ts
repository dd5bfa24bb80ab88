/** The project of a generator, and what its configuration says. */
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { isMapping } from '../fields.ts'
import type { Mapping } from '../metadata-lines.ts'

/** `files` are those of the imported folder. `below` is its path in the project, with a slash at its end, or ''. */
export type Project = { root: string; below: string; names: Set<string>; files: readonly string[] }

/** True if the imported folder is the project, or in its `folder` of content. */
export function isBelow(below: string, folder: string): boolean {
  const path = posix.join(folder, '/')
  return below === '' || path === './' || path === '/' || below.startsWith(path)
}

/** The fields of a configuration; none if there is no such file, or it cannot be read. */
export async function readConfiguration(root: string, name: string | undefined): Promise<Mapping> {
  if (name === undefined) return {}
  const text = await readFile(join(root, name), 'utf8').catch(() => '')
  try {
    const value: unknown = name.endsWith('.toml') ? parseToml(text) : parseYaml(text, { logLevel: 'error' })
    return isMapping(value) ? value : {}
  } catch {
    return {}
  }
}
