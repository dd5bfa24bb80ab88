/** Ghost's cards as HTML, from the fields of both editors. Other cards are not rendered. */
import { convertMarkdown } from '../../convert/convert.ts'
import type { LosePart } from '../import/losses.ts'
import { element, escaped, textOf, voidElement } from './markup.ts'

export type Fields = Record<string, unknown>

export const GATED = 'a part for members only is left out'
export const EMAILED = 'a part for emails only is left out'
export const FORM = 'a form, which needs Ghost, is left out'

/** Titles are text. Captions, callouts and toggles contain the export's own HTML, which must be sanitised. */
export function renderCard(name: string, fields: Fields, lose: LosePart): string {
  const render = CARDS.get(ALIASES.get(name) ?? name)
  const left = LEFT_OUT.get(name)
  if (!isForAll(recordOf(fields.visibility))) lose(GATED)
  else if (left) lose(left)
  else if (render) return render(fields)
  else lose('a card that cannot be converted', name || 'without a name')
  return ''
}

/** Cards may be for members or e-mails only; the fields have changed over the years. */
function isForAll({ web, showOnWeb, emailOnly }: Fields): boolean {
  return recordOf(web).nonMember !== false && showOnWeb !== false && emailOnly !== true
}

const ALIASES = new Map([
  ['codeblock', 'code'],
  ['horizontalrule', 'hr'],
  ['card-markdown', 'markdown'],
])

const LEFT_OUT = new Map<string, typeof EMAILED | typeof FORM>([
  ['email', EMAILED],
  ['email-cta', EMAILED],
  ['signup', FORM],
])

type Render = (fields: Fields) => string

const CARDS = new Map<string, Render>(
  Object.entries<Render>({
    hr: () => voidElement('hr'),
    html: ({ html }) => textOf(html),
    markdown: ({ markdown }) => convertMarkdown(textOf(markdown), { hasTitle: true }).html,
    code: ({ code, language, caption }) => {
      const attributes = { class: language && `language-${textOf(language)}` }
      const block = element('pre', {}, element('code', attributes, escaped(code)))
      return caption ? figure(block, caption) : block
    },
    image: (fields) => (fields.src ? figure(image(fields), fields.caption) : ''),
    gallery: ({ images, caption }) => {
      const shown = listOf(images).filter(({ src }) => src)
      return shown.length > 0 ? figure(shown.map(image).join(''), caption) : ''
    },
    bookmark: (fields) => {
      const { url, caption } = fields
      const metadata = recordOf(fields.metadata)
      const fieldText = (name: string) => textOf(fields[name]) || textOf(metadata[name])
      const byline = [fieldText('publisher'), fieldText('author')].filter(Boolean).join(', ')
      const href = textOf(url) || fieldText('url')
      if (!href) return ''
      const pictures = [fieldText('icon'), fieldText('thumbnail')]
        .filter(Boolean)
        .map((src) => voidElement('img', { src }))
      const lines = [escaped(fieldText('description')), escaped(byline), pictures.join('')]
        .filter(Boolean)
        .map((line) => element('p', {}, line))
      return figure(linked(href, fieldText('title')) + lines.join(''), caption)
    },
    embed: ({ html, url, caption }) => {
      const href = textOf(url)
      return html || href ? figure(textOf(html) || linked(href, href), caption) : ''
    },
    callout: ({ calloutEmoji, calloutText }) => {
      const emoji = calloutEmoji ? `${escaped(calloutEmoji)} ` : ''
      const text = textOf(calloutText)
      const paragraphs = /^\s*<p\b/i.test(text) ? text : element('p', {}, text)
      return element(
        'aside',
        {},
        paragraphs.replace(/<p\b[^>]*>/i, (start) => start + emoji),
      )
    },
    toggle: ({ heading, content }) =>
      element('details', {}, element('summary', {}, textOf(heading)) + textOf(content)),
    button: ({ buttonUrl, buttonText }) => (buttonUrl ? linked(buttonUrl, buttonText) : ''),
    audio: ({ src, title, thumbnailSrc }) => {
      const thumbnail = thumbnailSrc ? voidElement('img', { src: thumbnailSrc }) : ''
      const player = element('audio', { src, controls: true, preload: 'metadata' })
      return src ? figure(thumbnail + player, escaped(title)) : ''
    },
    video: ({ src, width, height, loop, thumbnailSrc, customThumbnailSrc, caption }) => {
      const poster = customThumbnailSrc || thumbnailSrc
      const attributes = {
        src,
        poster,
        width,
        height,
        controls: true,
        loop: loop === true,
        preload: 'metadata',
      }
      return src ? figure(element('video', attributes), caption) : ''
    },
    file: ({ src, fileTitle, fileName, fileCaption }) => {
      const link = element('a', { href: src }, escaped(fileTitle || fileName || src))
      const caption = fileCaption ? `${voidElement('br')}${escaped(fileCaption)}` : ''
      return src ? element('p', {}, link + caption) : ''
    },
    product: (fields) => {
      const { productTitle, productDescription, productImageSrc, productImageWidth, productImageHeight } =
        fields
      const size = { width: productImageWidth, height: productImageHeight }
      return [
        productImageSrc ? voidElement('img', { src: productImageSrc, ...size }) : '',
        element('h4', {}, textOf(productTitle)),
        fields.productRatingEnabled ? element('p', {}, stars(Number(fields.productStarRating))) : '',
        textOf(productDescription),
        fields.productButtonEnabled && fields.productUrl
          ? linked(fields.productUrl, fields.productButton)
          : '',
      ].join('')
    },
    header: ({ header, subheader, buttonEnabled, buttonUrl, buttonText, backgroundImageSrc: src }) => {
      const button = buttonEnabled && buttonUrl ? linked(buttonUrl, buttonText) : ''
      const below = subheader ? element('p', {}, textOf(subheader)) : ''
      return (src ? voidElement('img', { src }) : '') + element('h2', {}, textOf(header)) + below + button
    },
    'call-to-action': (fields) => {
      const { imageUrl, textValue, showButton, buttonUrl, buttonText } = fields
      return [
        fields.hasSponsorLabel ? textOf(fields.sponsorLabel) : '',
        imageUrl ? voidElement('img', { src: imageUrl }) : '',
        textOf(textValue),
        showButton && buttonUrl ? linked(buttonUrl, buttonText) : '',
      ].join('')
    },
    // Ghost shows the paywall, not the body.
    paywall: () => '',
  }),
)

function figure(inner: string, caption: unknown): string {
  return element('figure', {}, inner + (caption ? element('figcaption', {}, textOf(caption)) : ''))
}

function linked(href: unknown, text: unknown): string {
  return element('p', {}, element('a', { href }, escaped(text || href)))
}

function image({ src, alt, title, width, height, href }: Fields): string {
  const shown = voidElement('img', { src, alt, title, width, height })
  return href ? element('a', { href }, shown) : shown
}

export function stars(rating: number): string {
  const count = Math.min(Math.max(Math.round(rating) || 0, 0), 5)
  return '★'.repeat(count) + '☆'.repeat(5 - count)
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(recordOf) : []
}

export function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
