/**
 * The faults of feeds by the rules of the W3C's validator for RSS 2.0 (https://validator.w3.org/feed/docs/) and the
 * specification of JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/).
 */
import { Parser } from 'htmlparser2'
import { xmlFaults } from './xml.ts'

type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string }

/** By element: allowed children, and how often each may occur. */
const MANY = Number.POSITIVE_INFINITY
const CHANNEL: Record<string, number> = {
  title: 1,
  link: 1,
  description: 1,
  language: 1,
  lastBuildDate: 1,
  'atom:link': 1,
  item: MANY,
}
const ITEM: Record<string, number> = {
  title: 1,
  link: 1,
  description: 1,
  guid: 1,
  pubDate: 1,
  'content:encoded': 1,
  'dc:creator': MANY,
  'dc:language': 1,
  category: MANY,
  'media:content': MANY,
}
const NAMESPACES: Record<string, string> = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:content': 'http://purl.org/rss/1.0/modules/content/',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:media': 'http://search.yahoo.com/mrss/',
}
const LANGUAGE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/
const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
/** HTML elements and attributes that run something. */
const RISKS = ['script', 'style', 'base', 'meta', 'link']
const ADDRESSES = ['href', 'src', 'poster', 'cite', 'action', 'data']

/** A phrase for each fault. `self` is the URL of the feed. */
export function rssFaults(xml: string, self: string): string[] {
  const malformed = xmlFaults(xml)
  if (malformed.length > 0) return malformed
  const rss = readXml(xml)
  const [channel] = rss.children
  if (rss.name !== 'rss' || rss.attributes.version !== '2.0' || rss.children.length !== 1 || !channel)
    return ['is no rss 2.0 with one channel']
  const items = channel.children.filter(({ name }) => name === 'item')
  const guids = items.map((item) => textOf(item, 'guid'))
  const links = channel.children.filter(({ name }) => name === 'atom:link')
  const [{ attributes = {} } = {}] = links
  return [
    ...Object.entries(NAMESPACES).flatMap(([name, uri]) =>
      rss.attributes[name] === uri ? [] : [`does not declare ${name}`],
    ),
    ...contentFaults(channel, CHANNEL),
    ...['title', 'link', 'description'].flatMap((name) =>
      textOf(channel, name).trim() === '' ? [`channel has no ${name}`] : [],
    ),
    ...(isAddress(textOf(channel, 'link')) ? [] : ['the link of the channel is no URL']),
    ...(LANGUAGE.test(textOf(channel, 'language')) ? [] : ['language is no code']),
    ...dateFaults(channel, 'lastBuildDate'),
    ...(attributes.rel === 'self' && attributes.href === self && attributes.type === 'application/rss+xml'
      ? []
      : ['has no atom:link to itself']),
    ...(new Set(guids).size === guids.length ? [] : ['two items have one guid']),
    ...items.flatMap(itemFaults),
  ]
}

function itemFaults(item: Element): string[] {
  const guid = item.children.find(({ name }) => name === 'guid')
  const isPermanent = guid?.attributes.isPermaLink !== 'false'
  const blank = item.children.filter(
    ({ name, text }) => text.trim() === '' && name !== 'media:content' && name !== 'content:encoded',
  )
  return [
    ...contentFaults(item, ITEM),
    ...(textOf(item, 'title') || textOf(item, 'description') ? [] : ['an item has no title or description']),
    ...(isAddress(textOf(item, 'link')) ? [] : ['the link of an item is no URL']),
    ...(guid && (!isPermanent || isAddress(guid.text)) ? [] : ['a guid is no permanent link']),
    ...blank.map(({ name }) => `${name} is blank`),
    ...dateFaults(item, 'pubDate'),
    ...item.children.flatMap(({ name, attributes }) =>
      name !== 'media:content' || (isAddress(attributes.url) && attributes.medium === 'image')
        ? []
        : ['media:content is no picture'],
    ),
    ...htmlFaults(textOf(item, 'description')),
    ...htmlFaults(textOf(item, 'content:encoded')),
  ]
}

function contentFaults({ name, children }: Element, allowed: Record<string, number>): string[] {
  const count = (child: string) => children.filter((each) => each.name === child).length
  const names = new Set(children.map((child) => child.name))
  return [...names].flatMap((child) =>
    count(child) <= (allowed[child] ?? 0) ? [] : [`${name} has ${count(child)} ${child}`],
  )
}

/** https://www.rfc-editor.org/rfc/rfc822#section-5, with a year of four digits and the right day of the week. */
function dateFaults(element: Element, name: string): string[] {
  const text = textOf(element, name)
  if (text === '' || new Date(text).toUTCString() === text) return []
  return [`${name} is no date of RFC 822: ${text}`]
}

/** A phrase for each relative URL, and for each active element. */
export function htmlFaults(html: string): string[] {
  const faults: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (RISKS.includes(name)) faults.push(`has <${name}>`)
      for (const [attribute, value] of Object.entries(attributes)) {
        if (attribute.startsWith('on')) faults.push(`has ${attribute}`)
        if (ADDRESSES.includes(attribute) && !URL.canParse(value)) faults.push(`${attribute} is relative`)
        if (ADDRESSES.includes(attribute) && URL.parse(value)?.protocol === 'javascript:')
          faults.push(`${attribute} is a script`)
      }
    },
  })
  parser.end(html)
  return faults
}

type JsonFeed = Record<string, unknown> & { items: Record<string, unknown>[] }

const FEED = ['version', 'title', 'home_page_url', 'feed_url', 'description', 'language', 'items']
const OF_ITEM = [
  ...['id', 'url', 'title', 'content_html', 'content_text', 'summary', 'image', 'date_published'],
  ...['date_modified', 'authors', 'tags', 'language'],
]

/** A phrase for each fault. */
export function jsonFeedFaults(text: string, self: string): string[] {
  const feed = JSON.parse(text) as JsonFeed
  const ids = feed.items.map(({ id }) => id)
  return [
    ...(feed.version === 'https://jsonfeed.org/version/1.1' ? [] : ['has another version']),
    ...(typeof feed.title === 'string' && feed.title !== '' ? [] : ['has no title']),
    ...(feed.feed_url === self ? [] : ['feed_url is another']),
    ...(isAddress(feed.home_page_url) ? [] : ['home_page_url is no URL']),
    ...(LANGUAGE.test(String(feed.language)) ? [] : ['language is no code']),
    ...unknownIn(feed, FEED),
    ...(new Set(ids).size === ids.length ? [] : ['two items have one id']),
    ...feed.items.flatMap(jsonItemFaults),
  ]
}

function jsonItemFaults(item: Record<string, unknown>): string[] {
  const { id, url, content_html, content_text, image, date_published, date_modified } = item
  const { authors = [], tags = [], language = 'en' } = item
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''
  const isTime = (value: unknown) => value === undefined || WIRE_TIME.test(String(value))
  return [
    ...unknownIn(item, OF_ITEM),
    ...(isText(id) ? [] : ['an item has no id']),
    ...(isAddress(url) ? [] : ['url is no URL']),
    ...(typeof content_html === 'string' || typeof content_text === 'string' ? [] : ['has no content']),
    ...(image === undefined || isAddress(image) ? [] : ['image is no URL']),
    ...(isTime(date_published) && isTime(date_modified) ? [] : ['a date is not of RFC 3339']),
    ...((authors as Record<string, unknown>[]).every((each) => isText(each.name))
      ? []
      : ['an author is nobody']),
    ...((tags as unknown[]).every(isText) ? [] : ['a tag is no text']),
    ...(LANGUAGE.test(String(language)) ? [] : ['language is no code']),
    ...htmlFaults(String(content_html ?? '')),
  ]
}

/** Extensions start with `_`, and unknown values are left out. */
const unknownIn = (object: Record<string, unknown>, known: string[]) =>
  Object.entries(object).flatMap(([name, value]) =>
    known.includes(name) && value !== null ? [] : [`has ${name}: ${value}`],
  )

const isAddress = (text: unknown) => /^https?:\/\/[!-~]+$/.test(String(text)) && URL.canParse(String(text))

/** The items of an RSS feed, as a reader parses them. */
export const rssItems = (xml: string) =>
  readXml(xml)
    .children[0]!.children.filter(({ name }) => name === 'item')
    .map((item) => ({
      guid: textOf(item, 'guid'),
      title: textOf(item, 'title'),
      link: textOf(item, 'link'),
      pubDate: textOf(item, 'pubDate'),
      description: textOf(item, 'description'),
      content: item.children.find(({ name }) => name === 'content:encoded')?.text ?? null,
      creators: textsOf(item, 'dc:creator'),
      categories: textsOf(item, 'category'),
      language: textOf(item, 'dc:language'),
      image: item.children.find(({ name }) => name === 'media:content')?.attributes.url ?? null,
    }))

const textsOf = ({ children }: Element, name: string) =>
  children.filter((child) => child.name === name).map(({ text }) => text)
const textOf = (element: Element, name: string) => textsOf(element, name)[0] ?? ''

function readXml(xml: string): Element {
  const open: Element[] = [{ name: '', attributes: {}, children: [], text: '' }]
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element = { name, attributes, children: [], text: '' }
        open.at(-1)!.children.push(element)
        open.push(element)
      },
      ontext: (text) => {
        open.at(-1)!.text += text
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return open[0]!.children[0]!
}
