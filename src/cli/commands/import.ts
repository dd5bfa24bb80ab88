/** The verbs of `import`: each opens a source, and the rest is the same for all. */
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Kind } from '../article-path.ts'
import { type Api, path } from '../client.ts'
import { type Result, verb } from '../command.ts'
import { ghostFile } from '../ghost/source.ts'
import { type LoadedSite, loadSource } from '../import/load.ts'
import { baseUrl, readMedia } from '../import/media.ts'
import { ndjsonFile } from '../import/ndjson.ts'
import type { Source } from '../import/source.ts'
import type { Io } from '../io.ts'
import { mustBeFolder } from '../markdown/folder.ts'
import { markdownFolder } from '../markdown/source.ts'
import { wordpressFile } from '../wordpress/file.ts'
import { wordpressSite } from '../wordpress/site.ts'

type CommonFlags = { baseUrl?: string; media?: string[]; dryRun?: boolean }

type Pages = 'guides' | 'none'

type MarkdownFlags = CommonFlags & {
  as: Kind
  status?: 'draft' | 'published'
  language?: string
  oldUrl?: string
}

/** Adds `import markdown|wordpress|ghost|ndjson`. */
export function addImport(program: Command, io: Io): void {
  const noun = program.command('import').description('content from elsewhere')

  verb<MarkdownFlags>(
    io,
    noun,
    'markdown <site> <dir>',
    'import a folder of .md, .markdown and .mdx files; doing it again changes nothing',
    async (api, [site = '', dir = ''], flags) => {
      const root = resolve(io.cwd, dir)
      await mustBeFolder(root, dir)
      return importFrom(io, api, site, flags, (address, base) => {
        const old = { site: address, base, ...(flags.oldUrl && { url: baseUrl('--old-url', flags.oldUrl) }) }
        const options = { ...flags, defaultLanguage: address.defaultLanguage }
        return markdownFolder(io, root, dir, options, old)
      })
    },
    [
      new Option('--as <kind>', 'what the files become').choices(['posts', 'guides']).default('posts'),
      ...choiceFlags(),
      new Option('--old-url <url>', 'where the folder was served, such as https://example.com/blog'),
      ...commonFlags(),
    ],
  )

  verb<Omit<MarkdownFlags, 'as'> & { pages: Pages }>(
    io,
    noun,
    'wordpress <site> <file|url>',
    'import a WordPress export (a WXR file), or a site that runs; doing it again changes nothing',
    async (api, [site = '', from = ''], flags) =>
      importFrom(io, api, site, flags, ({ defaultLanguage }) => {
        const options = { ...flags, defaultLanguage }
        return /^https?:\/\//i.test(from)
          ? wordpressSite(from, { ...options, fetch: io.fetch, env: io.env })
          : wordpressFile(resolve(io.cwd, from), options)
      }),
    [pagesFlag(), ...choiceFlags(), ...commonFlags()],
  )

  verb<CommonFlags & { pages: Pages; status?: 'draft'; language?: string; oldUrl?: string }>(
    io,
    noun,
    'ghost <site> <file.json>',
    "import Ghost's export; doing it again changes nothing",
    async (api, [site = '', file = ''], flags) =>
      importFrom(io, api, site, flags, ({ defaultLanguage }) => {
        const old = flags.oldUrl && { oldUrl: baseUrl('--old-url', flags.oldUrl) }
        return ghostFile(resolve(io.cwd, file), { ...flags, name: file, defaultLanguage, ...old })
      }),
    [
      pagesFlag(),
      new Option('--status <status>', 'of everything').choices(['draft']),
      new Option('--language <language>', 'of posts that name none'),
      new Option('--old-url <url>', 'where Ghost served them, such as https://blog.example.com'),
      ...commonFlags(),
    ],
  )

  verb<CommonFlags & { keepIds?: boolean; settings?: boolean }>(
    io,
    noun,
    'ndjson <site> <file>',
    'import what `export` has written; doing it again changes nothing',
    async (api, [site = '', file = ''], flags) =>
      importFrom(io, api, site, flags, (address) =>
        ndjsonFile(io, api, address, file, {
          keepIds: flags.keepIds ?? false,
          settings: flags.settings,
          dryRun: flags.dryRun ?? false,
        }),
      ),
    [
      new Option('--keep-ids', 'new posts, guides and training rows get the ids in the file'),
      new Option('--settings', 'the site takes the settings in the file, as an empty one does anyway'),
      new Option('--no-settings', 'the site keeps its settings'),
      dryRunFlag(),
    ],
  )
}

async function importFrom(
  io: Io,
  api: Api,
  siteId: string,
  flags: CommonFlags,
  open: (site: LoadedSite, base: string) => Promise<Source>,
): Promise<Result> {
  const site = await api<LoadedSite>('GET', path`/sites/${siteId}`)
  const base = flags.baseUrl === undefined ? `https://${site.domain}` : baseUrl('--base-url', flags.baseUrl)
  const media = await readMedia(io, flags.media ?? [], base)
  const source = await open(site, base)
  try {
    const places = { site, base, media }
    return await loadSource(io, api, site, source, { places, dryRun: flags.dryRun ?? false })
  } finally {
    await source.close?.()
  }
}

function commonFlags(): Option[] {
  return [
    new Option('--base-url <url>', "the site's address in links (default: https:// and its domain)"),
    new Option(
      '--media <url|dir>',
      'where the images will be served, or the folder that has them as the old site served them; both may be given',
    )
      .argParser<string[]>((value, before) => [...before, value])
      .default([], 'images stay where they are'),
    dryRunFlag(),
  ]
}

const choiceFlags = () => [
  new Option('--status <status>', 'of what does not say it is a draft').choices(['draft', 'published']),
  new Option('--language <language>', 'of what names none'),
]

const pagesFlag = () =>
  new Option('--pages <kind>', 'what pages become').choices(['guides', 'none']).default('none')

const dryRunFlag = () => new Option('--dry-run', 'put nothing, and report the same')
