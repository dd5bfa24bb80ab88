import type { Command } from 'commander'
import { path } from '../client.ts'
import { verb } from '../command.ts'
import type { Io } from '../io.ts'
import { fieldLines } from '../output.ts'

type PublishedSitemap = { url: string; proxiedUrl: string }

/** Adds `sitemap publish|show|renew|stop`. */
export function addSitemap(program: Command, io: Io): void {
  const noun = program.command('sitemap').description('the published sitemap of a site')

  verb(io, noun, 'publish <site>', 'publish it at a URL that needs no key', async (api, [site = '']) =>
    shown(await api<PublishedSitemap>('PUT', path`/sites/${site}/sitemap`)),
  )
  verb(io, noun, 'show <site>', 'show its URLs', async (api, [site = '']) =>
    shown(await api<PublishedSitemap>('GET', path`/sites/${site}/sitemap`)),
  )
  verb(io, noun, 'renew <site>', 'give it new URLs; the old ones end', async (api, [site = '']) =>
    shown(await api<PublishedSitemap>('POST', path`/sites/${site}/sitemap/renewals`)),
  )
  verb(io, noun, 'stop <site>', 'publish it no longer', async (api, [site = '']) => {
    await api('DELETE', path`/sites/${site}/sitemap`)
    return { json: { published: false }, text: 'The sitemap is not published any more.' }
  })
}

function shown(sitemap: PublishedSitemap) {
  return { json: sitemap, text: `${fieldLines(sitemap)}\nrobots.txt  Sitemap: ${sitemap.url}` }
}
