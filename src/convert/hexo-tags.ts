/** Converts tags of Hexo (https://hexo.io/docs/tag-plugins) to Markdown and HTML. */
import { escapeHtml } from './markup.ts'

export type HexoPages = {
  titleOf?: ((name: string) => string | undefined) | undefined
  /** Path of a post's files, relative to the post, with a trailing slash. */
  assetFolder?: string | undefined
}

const ARGUMENT = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\S+)/g
const IMAGE = /\.(?:avif|bmp|gif|ico|jpe?g|png|svg|webp)(?:[?#]|$)|^(?:https?:)?\/\//i
const URL_LIKE = /^(?:https?:)?\/\//i

/** Converts a tag without content; null if it is not Hexo's. */
export function hexoTag(name: string, argument: string, pages: HexoPages): string | null {
  const values = argumentsOf(argument)
  const [first, second] = values
  if (first === undefined) return null
  switch (name) {
    case 'post_link': {
      const rest = values.slice(1).filter((each) => !/^(?:true|false)$/.test(each))
      const text = rest.join(' ') || pages.titleOf?.(first) || first.replace(/#.*$/, '')
      return anchor(first.replace(/(?:\.md)?(#.*)?$/, '.md$1'), text)
    }
    case 'post_path':
      return `${first}.md`
    case 'asset_path':
      return `${pages.assetFolder ?? ''}${first}`
    case 'asset_link': {
      const rest = values.slice(1).filter((each) => !/^(?:true|false)$/.test(each))
      return anchor(`${pages.assetFolder ?? ''}${first}`, rest.join(' ') || first)
    }
    case 'asset_img':
      return image(values, pages.assetFolder ?? '')
    case 'img':
      return image(values, '')
    case 'iframe':
      return URL_LIKE.test(first) ? `\n\n${anchor(first, first)}\n\n` : null
    case 'gist':
      return `\n\n<https://gist.github.com/${first}>\n\n`
    // Jekyll's tag has only the path of a page.
    case 'link': {
      const at = values.findIndex((each) => URL_LIKE.test(each))
      return second === undefined || at < 1 ? null : anchor(values[at]!, values.slice(0, at).join(' '))
    }
    default:
      return null
  }
}

export function hexoQuote(argument: string): { start: string; end: string } {
  const at = argument.search(/(?:https?:)?\/\/\S/)
  const source = (at < 0 ? argument : argument.slice(0, at)).trim()
  const [url = '', ...title] = at < 0 ? [] : argument.slice(at).split(/\s+/)
  const link = url && anchor(url, title.join(' ') || url)
  const footer = [escapeHtml(source), link].filter(Boolean).join(' ')
  const end = footer && `<footer>${footer}</footer>\n\n`
  return { start: '\n\n<blockquote>\n\n', end: `\n\n${end}</blockquote>\n\n` }
}

/** The caption is Markdown. */
export function hexoCode(argument: string): { language: string; caption: string } {
  const language = /\blang:([\w+#.-]+)/.exec(argument)?.[1] ?? ''
  const words = argument.replace(/(?<!\S)\w+:(?!\/\/)\S+/g, '').split(/\s+/)
  const at = words.findIndex((each) => URL_LIKE.test(each))
  const title = (at < 0 ? words : words.slice(0, at)).filter(Boolean).join(' ')
  const link =
    at < 0
      ? ''
      : anchor(
          words[at]!,
          words
            .slice(at + 1)
            .join(' ')
            .trim() || words[at]!,
        )
  return { language, caption: [escapeHtml(title), link].filter(Boolean).join(' ') }
}

function image(values: string[], folder: string): string | null {
  const at = values.findIndex((each) => IMAGE.test(each))
  const source = values[at]
  if (source === undefined) return null
  const rest = values.slice(at + 1)
  const sizes = rest.filter((each, i) => i < 2 && /^\d+$/.test(each))
  const texts = rest.slice(sizes.length).flatMap((each) => (/["']/.test(each) ? argumentsOf(each) : each))
  const [title = '', alt = title] = texts
  const size = ['width', 'height'].flatMap((name, i) => (sizes[i] ? `${name}="${sizes[i]}"` : []))
  const address = /^(?:\/|[a-z][a-z\d+.-]*:)/i.test(source) ? source : folder + source
  const attributes = [`src="${escapeHtml(address)}"`, `alt="${escapeHtml(alt)}"`, ...size]
  if (title && title !== alt) attributes.push(`title="${escapeHtml(title)}"`)
  return `<img ${attributes.join(' ')}>`
}

/** An address as link text would become a link of its own. */
function anchor(url: string, text: string): string {
  return text === url && !/[<>\s]/.test(url) && /^https?:/i.test(url)
    ? `<${url}>`
    : `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`
}

function argumentsOf(written: string): string[] {
  return [...written.matchAll(ARGUMENT)].map(([, double, single, bare]) =>
    (double ?? single ?? bare ?? '').replace(/\\(["'\\])/g, '$1'),
  )
}
