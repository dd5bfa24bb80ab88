/** A vault of Obsidian (https://help.obsidian.md/configuration-folder). */
import { scalar } from '../fields.ts'
import { type Project, readConfiguration } from './configuration.ts'
import { anyGenerator, type Generator } from './generator.ts'

export async function obsidian({ root, below, files }: Project): Promise<Generator> {
  const { folder } = await readConfiguration(root, '.obsidian/templates.json')
  const templates = scalar(folder)
  return {
    ...anyGenerator(files),
    name: 'obsidian',
    isVault: true,
    below,
    reasonToHide(file) {
      const isTemplate = templates && `${below}${file}`.startsWith(`${templates}/`)
      return isTemplate ? 'a template for new notes: imported as a draft' : undefined
    },
  }
}
