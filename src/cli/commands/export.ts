import { Option } from 'commander'
import { Failure } from '../../transfer/failure.ts'
import type { Verb } from '../command.ts'

/** A folder may well be named after a domain. */
const OTHER_FILE = /\.(?:csv|gz|json|md|tar|txt|xml|ya?ml|zip)$/i

export const EXPORT: Verb = {
  usage: 'export <site> <file.ndjson|dir>',
  description:
    'write posts, guides, training rows and settings to a file, or posts and guides as Markdown to a folder, as of one moment; the same command goes on after an interruption',
  flags: [new Option('--exact', 'in a folder: HTML where Markdown would change a byte of it')],
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
  new Failure(
    `The disk has no room left for ${target}: make room and run the same command again, which goes on from here`,
  )

function folderOf(target: string): string {
  if (!OTHER_FILE.test(target)) return target
  throw new Failure(`${target} is neither a folder nor ends in .ndjson`)
}
