import { type Command, Option } from 'commander'
import { verb } from '../command.ts'
import { exportFolder } from '../export/folder.ts'
import { exportNdjson } from '../export/ndjson.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'

/** A folder may well be named after a domain. */
const OTHER_FILE = /\.(?:csv|gz|json|md|tar|txt|xml|ya?ml|zip)$/i

/** Adds `export`. */
export function addExport(program: Command, io: Io): void {
  verb<{ exact?: boolean }>(
    io,
    program,
    'export <site> <file.ndjson|dir>',
    'write posts, guides, training rows and settings to a file, or posts and guides as Markdown to a folder, as of one moment; the same command goes on after an interruption',
    async (api, [site = '', target = ''], { exact = false }) => {
      const result = /\.(?:ndjson|jsonl)$/i.test(target)
        ? exportNdjson(io, api, site, target)
        : exportFolder(io, api, site, folderOf(target), { exact })
      return result.catch((error) => {
        throw isDiskFull(error) ? diskFull(target) : error
      })
    },
    [new Option('--exact', 'in a folder: HTML where Markdown would change a byte of it')],
  )
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
