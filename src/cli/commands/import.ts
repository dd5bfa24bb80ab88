/** Parsers and converters are loaded on demand: they take ten times as long to load as all other commands. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import type { ArticleKind } from '../../content/model/article-filters.ts'
import { postStatuses } from '../../core/enums.ts'
import type { Api } from '../../transfer/api.ts'
import { Failure } from '../../transfer/failure.ts'
import { DELETE_MISSING, type DeleteMissing } from '../../transfer/missing.ts'
import type { LoadedSite, Source } from '../../transfer/source.ts'
import type { Noun, Result } from '../command.ts'
import type { RewriteTarget } from '../import/links.ts'
import { baseUrl, readMedia } from '../import/media.ts'
import type { StatusFlags } from '../import/status.ts'
import type { Io } from '../io.ts'
import { mustBeFolder } from '../markdown/folder.ts'
import { progress } from '../output.ts'

type CommonFlags = {
  baseUrl?: string
  media?: string[]
  deleteMissing?: DeleteMissing
  sendEvents?: boolean
  dryRun?: boolean
  verbose?: boolean
  report?: string
}

type Pages = 'guides' | 'none'

type ChoiceFlags = CommonFlags & StatusFlags & { language?: string }

type MarkdownFlags = ChoiceFlags & { as: ArticleKind; oldUrl?: string; origin?: string; cache: boolean }

type GhostFlags = ChoiceFlags & { pages: Pages; oldUrl?: string; redirects?: string }

export const IMPORT: Noun = {
  name: 'import',
  description: 'import content from other systems',
  verbs: [
    {
      usage: 'markdown <site> <dir>',
      description: 'import a folder of .md, .markdown and .mdx files; safe to repeat',
      flags: [
        new Option('--as <kind>', 'import the files as').choices(['posts', 'guides']).default('posts'),
        ...choiceFlags(),
        new Option('--old-url <url>', 'former URL of the folder, for example https://example.com/blog'),
        new Option(
          '--origin <name>',
          'name that distinguishes this folder from others imported into the site',
        ),
        new Option('--no-cache', 'also convert files that are unchanged since the last import'),
        ...commonFlags(),
      ],
      async work(io, api, [site = '', dir = ''], flags: MarkdownFlags) {
        if (flags.origin !== undefined && !/^[\w.-]{1,64}$/.test(flags.origin))
          throw new Failure('--origin takes up to 64 of A-Z, a-z, 0-9, "_", "." and "-"')
        const root = resolve(io.cwd, dir)
        await mustBeFolder(root, dir)
        const { markdownFolder } = await import('../markdown/source.ts')
        const { convertInThreads } = await import('../markdown/convert-in-threads.ts')
        const { openSpool } = await import('../import/spool.ts')
        const { slugsByOrigin } = await import('../../transfer/identity.ts')
        return importFrom(io, api, site, flags, (address, base) => {
          const old = {
            site: address,
            base,
            ...(flags.oldUrl && { url: baseUrl('--old-url', flags.oldUrl) }),
          }
          const slugsBefore = () => slugsByOrigin(api, address.id, flags.as)
          const { defaultLanguage } = address
          const convert = convertInThreads(io, flags.cache)
          return markdownFolder(
            root,
            dir,
            { ...flags, defaultLanguage, slugsBefore, convert, openSpool },
            old,
          )
        })
      },
    },
    {
      usage: 'wordpress <site> <file|url>',
      description: 'import a WordPress export (a WXR file) or a live site; safe to repeat',
      flags: [pagesFlag(), ...choiceFlags(), ...commonFlags()],
      async work(io, api, [site = '', from = ''], flags: ChoiceFlags & { pages: Pages }) {
        return importFrom(io, api, site, flags, async ({ defaultLanguage }) => {
          const options = { ...flags, defaultLanguage }
          if (!/^https?:\/\//i.test(from)) {
            const { wordpressFile } = await import('../wordpress/file.ts')
            return wordpressFile(resolve(io.cwd, from), options)
          }
          const { wordpressSite } = await import('../wordpress/site.ts')
          return wordpressSite(from, { ...options, fetch: io.fetch, env: io.env })
        })
      },
    },
    {
      usage: 'ghost <site> <file.json>',
      description: 'import a Ghost export; safe to repeat',
      flags: [
        pagesFlag(),
        ...choiceFlags(),
        new Option('--old-url <url>', 'former URL of the Ghost site, for example https://blog.example.com'),
        new Option('--redirects <file>', "Ghost's redirects (redirects.json or redirects.yaml)"),
        ...commonFlags(),
      ],
      async work(io, api, [site = '', file = ''], flags: GhostFlags) {
        const { ghostFile } = await import('../ghost/source.ts')
        return importFrom(io, api, site, flags, ({ defaultLanguage }) => {
          const { redirects: name, oldUrl, ...options } = flags
          return ghostFile(resolve(io.cwd, file), {
            ...options,
            ...{ name: file, defaultLanguage },
            ...(oldUrl && { oldUrl: baseUrl('--old-url', oldUrl) }),
            ...(name && { redirects: { name, path: resolve(io.cwd, name) } }),
          })
        })
      },
    },
    {
      usage: 'ndjson <site> <file>',
      description: 'import a file written by `export`; safe to repeat',
      flags: [
        new Option('--keep-ids', 'create posts, guides and training rows with the ids in the file'),
        new Option('--settings', 'also import the settings (default: only into an empty site)'),
        new Option('--no-settings', "don't import the settings"),
        ...reportFlags(),
      ],
      async work(
        io,
        api,
        [site = '', file = ''],
        flags: CommonFlags & { keepIds?: boolean; settings?: boolean },
      ) {
        const { ndjsonFile } = await import('../../transfer/ndjson.ts')
        const { objectsOf } = await import('../ndjson.ts')
        return importFrom(io, api, site, flags, (address) =>
          ndjsonFile(api, address, file, () => objectsOf(io, file), {
            keepIds: flags.keepIds ?? false,
            settings: flags.settings,
            dryRun: flags.dryRun ?? false,
          }),
        )
      },
    },
  ],
}

async function importFrom(
  io: Io,
  api: Api,
  siteId: string,
  flags: CommonFlags & StatusFlags,
  open: (site: LoadedSite, base: string) => Promise<Source>,
): Promise<Result> {
  if (flags.includeDrafts && flags.status !== 'published')
    throw new Failure('--include-drafts needs --status published')
  const site = await api('GET /sites/{siteId}', [siteId])
  const base = flags.baseUrl === undefined ? `https://${site.domain}` : baseUrl('--base-url', flags.baseUrl)
  const media = await readMedia(io, flags.media ?? [], base)
  const source = await open(site, base)
  try {
    return await load(io, api, source, { site, base, media }, flags)
  } finally {
    await source.close?.()
  }
}

async function load(
  io: Io,
  api: Api,
  source: Source,
  target: RewriteTarget & { site: LoadedSite },
  { deleteMissing, sendEvents = false, dryRun = false, verbose = false, report: name }: CommonFlags,
): Promise<Result> {
  const { loadSource } = await import('../../transfer/load.ts')
  const { withNewAddresses } = await import('../import/links.ts')
  const { openReport } = await import('../import/report.ts')
  const { openSpool } = await import('../import/spool.ts')
  const report = await openReport({ dryRun, verbose, isTerminal: io.stdout.isTTY ?? false })
  const saveTo = name === undefined ? null : resolve(io.cwd, name)
  const shown = progress(io, dryRun ? 'Checking' : 'Importing', source.total)
  try {
    // An unwritable report fails before anything is saved.
    if (saveTo) await report.save(saveTo)
    await loadSource(api, target.site, source, {
      ...{ report, openSpool, deleteMissing, sendEvents, dryRun },
      readdress: (found, from) => withNewAddresses(found, from, target, report),
      onDone: (done) => shown.at(done),
    })
    if (saveTo) await report.save(saveTo)
    return report.result()
  } catch (error) {
    await report.close()
    throw error
  } finally {
    shown.end()
  }
}

function commonFlags(): Option[] {
  return [
    new Option('--base-url <url>', 'URL of the site in links (default: https:// and its domain)'),
    new Option(
      '--media <url|dir>',
      'new URL of the images, or a folder that contains them under their old paths; can be given twice',
    )
      .argParser<string[]>((value, before) => [...before, value])
      .default([], 'image addresses stay unchanged'),
    new Option(
      '--delete-missing [how]',
      'unpublish or delete articles of an earlier import that the source no longer has (default: list them)',
    )
      .choices(DELETE_MISSING)
      .preset('delete'),
    ...reportFlags(),
  ]
}

function choiceFlags(): Option[] {
  return [
    new Option('--status <status>', 'status of posts and guides that are not drafts').choices(postStatuses),
    new Option(
      '--include-drafts',
      'with --status published: also publish drafts, future posts and expired posts',
    ),
    new Option('--language <language>', 'language of posts without one'),
  ]
}

function pagesFlag(): Option {
  return new Option('--pages <kind>', 'import pages as').choices(['guides', 'none']).default('none')
}

function reportFlags(): Option[] {
  return [
    new Option('--send-events', 'send webhook events for published posts (default: only count them)'),
    new Option('--dry-run', 'show the report without saving anything'),
    new Option('--verbose', "report minor losses, too, and don't shorten lists"),
    new Option('--report <file>', 'write the full report to this file, as JSON if it ends in .json'),
  ]
}
