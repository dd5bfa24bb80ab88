/** Eleventy (https://www.11ty.dev/docs/data-template-dir/): reads its JSON data files. */
import { basename, dirname, join } from 'node:path'
import { readText } from '../../files.ts'
import { isMapping } from '../fields.ts'
import type { Mapping } from '../metadata-lines.ts'
import type { Project } from './configuration.ts'
import { anyGenerator, type Generator, withoutExtension } from './generator.ts'

export async function eleventy({ root, below, files }: Project): Promise<Generator> {
  const read = new Map<string, Promise<Mapping>>()

  function dataIn(path: string): Promise<Mapping> {
    const known = read.get(path) ?? readData(join(root, path))
    read.set(path, known)
    return known
  }

  /** The nearest first: the data file of the file itself, then those of its folders. */
  async function inheritedBy(file: string) {
    const names = [withoutExtension(below + file)]
    for (let at = dirname(below + file); at !== '.'; at = dirname(at)) names.push(join(at, basename(at)))
    const fields: Mapping = {}
    for (const name of names) {
      for (const data of [await dataIn(`${name}.11tydata.json`), await dataIn(`${name}.json`)]) {
        for (const [key, value] of Object.entries(data)) {
          if (key === 'tags') fields.tags = [value, fields.tags ?? []].flat()
          else fields[key] ??= value
        }
      }
    }
    return { fields, joined: ['tags'] }
  }

  return { ...anyGenerator(files), name: 'eleventy', below, reasonToHide: () => undefined, inheritedBy }
}

async function readData(path: string): Promise<Mapping> {
  try {
    const value: unknown = JSON.parse(await readText(path))
    return isMapping(value) ? value : {}
  } catch {
    return {}
  }
}
