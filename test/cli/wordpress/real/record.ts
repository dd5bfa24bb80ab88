/** Records a real WordPress's answers for the daily tests. `RECORD=1` makes `real.test.ts` do it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lines } from '../../ghost/real/record.ts'
import { type Site, WAYS } from './ways.ts'

const FOLDER = join(import.meta.dirname, '../recordings')
const HEADERS = ['link', 'x-wp-total', 'x-wp-totalpages']
/** Fields that are not read, and change from run to run. */
const LEFT_OUT = new Set([
  ...['_links', 'guid', 'permalink_template', 'generated_slug', 'comment_status', 'ping_status', 'template'],
  ...['authentication', 'routes', 'description', 'capabilities', 'labels', 'supports', 'media_details'],
  ...['avatar_urls', 'url', 'icon', 'site_icon_url', 'site_logo', 'site_icon', 'gmt_offset'],
])

export async function record(site: Site): Promise<void> {
  const withBase = (text: string) => text.replaceAll(site.url, '{base}')
  const answers = new Map<string, object>()
  const noting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { pathname, search } = new URL(String(input))
    const text = withBase(await response.clone().text())
    const isJson = response.headers.get('content-type')?.includes('json')
    const given = HEADERS.flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, withBase(value)]]
    })
    const isSignedIn = new Headers(init?.headers).has('authorization')
    answers.set(pathname + search + (isSignedIn ? ' signed in' : ''), {
      ...(response.status !== 200 && { status: response.status }),
      headers: Object.fromEntries(given),
      body: isJson
        ? JSON.parse(text.replaceAll('\\/', '/').replaceAll(site.url, '{base}'), (name, value) =>
            LEFT_OUT.has(name) ? undefined : value,
          )
        : 'A page',
    })
    return response
  }
  await WAYS.REST(site, noting)
  await WAYS['REST, signed in'](site, noting)
  const recorded = [...answers].map(([request, answer]) => JSON.stringify({ request, ...answer }))
  await writeFile(join(FOLDER, 'quay.ndjson'), `${recorded.join('\n')}\n`)
  const exported = (await site.exported()).replaceAll(site.url, 'http://quay.example')
  await writeFile(join(FOLDER, 'quay.xml'), `${itemsOnLines(exported)}\n`)
  await writeFile(join(FOLDER, 'quay-rows.json'), `${lines(await site.rows())}\n`)
}

/** The export without the blog's terms, which nothing reads, and with each item on a line unless its texts have more. */
function itemsOnLines(xml: string): string {
  return xml
    .split(/(<!\[CDATA\[.*?\]\]>)/s)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/(?<=^|>)\s+(?=<|$)/g, '')))
    .join('')
    .replace(/<wp:(tag|category|term)>.*?<\/wp:\1>/gs, '')
    .replace(/(?=<item>|<\/channel>)/g, '\n')
    .trim()
}
