import { Option } from 'commander'
import { Failure } from '../../transfer/failure.ts'
import type { Verb } from '../command.ts'

/** Only known extensions, since a folder may be named after a domain. */
const OTHER_FILE = /\.(?:csv|gz|json|md|tar|txt|xml|ya?ml|zip)$/i

export const EXPORT: Verb = {
  usage: 'export <site> <file.ndjson|dir>',
  description:
    'export posts, guides, training rows and settings to a file, or posts and guides as Markdown to a folder, in a consistent state; after an interruption, run the same command again to continue',
  flags: [new Option('--exact', 'in a folder: keep HTML wherever Markdown would change it by a byte')],
  async work(io, api, [site = '', target = ''], { exact = false }) {
    try {
      if (/\.(?:ndjson|jsonl)$/i.test(target)) {
        const { exportNdjson } = await import('../export/ndjson.ts')
        return await exportNdjson(io, api, site, target)
      }
      const folder = folderOf(target)
      const { exportFolder } = await import('../export/folder.ts')
      return await exportFolder(io, api, site, folder, { exact })
    } catch (error) {
      throw isDiskFull(error as NodeJS.ErrnoException) ? diskFull(target) : error
    }
  },
}

const isDiskFull = ({ code }: NodeJS.ErrnoException) => code === 'ENOSPC' || code === 'EDQUOT'

const diskFull = (target: string) =>
  new Failure(`The disk is full (${target}): free some space and run the same command again to continue`)

function folderOf(target: string): string {
  if (!OTHER_FILE.test(target)) return target
  throw new Failure(`${target} must be a folder or end in .ndjson`)
}
