/** Removes controls that need Ghost's scripts, and parts for members, from HTML that Ghost has rendered. */
import { Parser } from 'htmlparser2'
import { stars } from './cards.ts'
import { escaped } from './markup.ts'

const SIGNUP = 'kg-card kg-signup-card'
const RATING = 'kg-product-card-rating'

const CONTROLS = new Set([
  'kg-audio-player',
  'kg-audio-thumbnail kg-audio-hide',
  'kg-audio-thumbnail placeholder',
  SIGNUP,
  'kg-file-card-icon',
  RATING,
  'kg-toggle-card-icon',
  'kg-video-large-play-icon',
  'kg-video-overlay',
  'kg-video-player-container',
])

const GATED = /<!--\s*kg-gated-block:begin\b(.{0,1000}?)-->(.*?)(?:<!--\s*kg-gated-block:end\s*-->|$)/gs

type Edit = { start: number; end: number; html: string }

/** @returns also the number of removed parts, which Ghost shows only to members */
export function withoutGatedParts(html: string): { html: string; gated: number } {
  let gated = 0
  const open = html.replace(GATED, (_, condition: string, part: string) => {
    if (/\bnonMember:\s*true\b/.test(condition)) return part
    gated += 1
    return ''
  })
  return { html: open, gated }
}

export function withoutControls(html: string): { html: string; forms: number } {
  if (!/\bkg-/.test(html)) return { html, forms: 0 }
  let forms = 0
  const edits: Edit[] = []
  let depth = 0
  let removed: (Edit & { depth: number; isRating: boolean }) | null = null
  let thumbnail: string | undefined
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1
      if (removed) return
      const { startIndex: start, endIndex } = parser
      thumbnail = attributes['data-kg-custom-thumbnail'] || attributes['data-kg-thumbnail'] || thumbnail
      const control = controlOf(attributes.class ?? '')
      if (control) {
        if (control === SIGNUP) forms += 1
        removed = { start, end: html.length, html: '', depth, isRating: control === RATING }
        edits.push(removed)
      } else if (attributes.class === 'kg-bookmark-publisher' && html.slice(0, start).endsWith('</span>')) {
        // On the page, only a style separates it from the author.
        edits.push({ start, end: start, html: ', ' })
      } else if (name === 'audio' || name === 'video') {
        const end = endIndex + 1
        edits.push({ start, end, html: playable(html.slice(start, end), attributes, thumbnail) })
      }
    },
    onclosetag(_, isImplied) {
      if (removed?.depth === depth) {
        // An element without an end tag ends at once, like `<img>`, or where the next tag starts.
        const endsItself = !isImplied || parser.startIndex === removed.start
        removed.end = endsItself ? parser.endIndex + 1 : parser.startIndex
        if (removed.isRating) removed.html = ratingIn(html.slice(removed.start, removed.end))
        removed = null
      }
      depth -= 1
    },
  })
  parser.end(html)
  return { html: withEdits(html, edits), forms }
}

function controlOf(classes: string): string | undefined {
  const [first = '', second = ''] = classes.trim().split(/\s+/)
  return [first, `${first} ${second}`].find((each) => CONTROLS.has(each))
}

/** Ghost's styles draw the stars. */
const ratingIn = (html: string) => `<p>${stars(html.split('kg-product-card-rating-active').length - 1)}</p>`

/** Ghost's players have their own controls, and a thumbnail as the background of a transparent poster. */
function playable(tag: string, attributes: Record<string, string>, thumbnail: string | undefined): string {
  const poster = thumbnail ? ` poster="${escaped(thumbnail)}"` : ''
  const withPoster = tag.replace(/\sposter=(["'])https:\/\/img\.spacergif\.org\/.*?\1/, poster)
  return attributes.controls === undefined
    ? withPoster.replace(/^<(?:audio|video)/i, '$& controls')
    : withPoster
}

function withEdits(html: string, edits: Edit[]): string {
  let edited = ''
  let at = 0
  for (const { start, end, html: inserted } of edits) {
    edited += html.slice(at, start) + inserted
    at = end
  }
  return edited + html.slice(at)
}
