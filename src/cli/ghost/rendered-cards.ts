/** What Ghost has put into the HTML that it rendered: controls that its scripts work, and parts for members. */
import { Parser } from 'htmlparser2'
import { escaped } from './markup.ts'

/** What only Ghost's scripts and styles give a meaning. */
const CONTROLS = new Set([
  'kg-audio-player',
  'kg-audio-thumbnail kg-audio-hide',
  'kg-audio-thumbnail placeholder',
  'kg-file-card-icon',
  'kg-toggle-card-icon',
  'kg-video-large-play-icon',
  'kg-video-overlay',
  'kg-video-player-container',
])

const GATED = /<!--\s*kg-gated-block:begin\b(.*?)-->(.*?)(?:<!--\s*kg-gated-block:end\s*-->|$)/gs

type Edit = { start: number; end: number; html: string }

/** The HTML without the parts that Ghost shows to members alone, and how many there were. */
export function withoutGatedParts(html: string): { html: string; gated: number } {
  let gated = 0
  const open = html.replace(GATED, (_, condition: string, part: string) => {
    if (/\bnonMember:\s*true\b/.test(condition)) return part
    gated += 1
    return ''
  })
  return { html: open, gated }
}

/** The same HTML for readers who have no scripts of Ghost's. */
export function withoutControls(html: string): string {
  if (!/\bkg-/.test(html)) return html
  const edits: Edit[] = []
  let depth = 0
  let removed: (Edit & { depth: number }) | null = null
  let thumbnail: string | undefined
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1
      if (removed) return
      const { startIndex: start, endIndex } = parser
      thumbnail = attributes['data-kg-custom-thumbnail'] || attributes['data-kg-thumbnail'] || thumbnail
      if (isControl(attributes.class ?? '')) {
        removed = { start, end: html.length, html: '', depth }
        edits.push(removed)
      } else if (name === 'audio' || name === 'video') {
        const end = endIndex + 1
        edits.push({ start, end, html: playable(html.slice(start, end), attributes, thumbnail) })
      }
    },
    onclosetag(_, isImplied) {
      if (removed?.depth === depth) {
        // What has no end tag ends itself, as `<img>`, or where the next tag starts.
        const endsItself = !isImplied || parser.startIndex === removed.start
        removed.end = endsItself ? parser.endIndex + 1 : parser.startIndex
        removed = null
      }
      depth -= 1
    },
  })
  parser.end(html)
  return withEdits(html, edits)
}

function isControl(classes: string): boolean {
  const [first = '', second = ''] = classes.trim().split(/\s+/)
  return CONTROLS.has(first) || CONTROLS.has(`${first} ${second}`)
}

/** Ghost's players have controls of their own, and over a transparent poster the thumbnail as a background. */
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
