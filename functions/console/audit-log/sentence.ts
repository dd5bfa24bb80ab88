/** An audit log entry as a sentence: `Ada published “How to prune roses”`. Each part says what it names, for the page to link. */
import { tryDecodeURIComponent } from 'hono/utils/url'
import { parseInstant } from '../../../src/core/instant.ts'
import type { AuditAction } from '../../../src/people/audit-actions.ts'
import type { AuditEntry, ListedEntry } from '../../../src/people/audit-log.ts'
import { webhookHost } from '../../../src/webhooks/endpoint.ts'
import { labelOf } from '../parts/fields/field-labels.ts'
import { formatQuantity } from '../parts/quantity.ts'
import {
  CHANGES,
  DERIVED,
  FIELDS,
  NOUNS,
  RESULTS,
  ROLES,
  SENTENCES,
  SHORT,
  SPECIFIC,
  STEPS,
} from './words.ts'

export type Part = { text: string; of?: 'actor' | 'article' | 'subject' | 'person' | 'time' }

/** Values that only a program reads. The management API has them. */
const HIDDEN_VALUES = ['keyHash', 'tokenHash', 'emailTo', 'siteId']
/** Fields that the action implies. */
const IMPLIED = [
  ...['deletionStartedAt', 'id', 'makerId', 'operatorId', 'postId', 'resourceId', 'revokedAt'],
  ...['secretRotatedAt', 'targetResource', 'usedAt'],
]
const MAX_SITES_NAMED = 5
const MAX_FIELDS_NAMED = 3
const TIME = /^\d{4}-\d\d-\d\dT/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type Entry = Omit<
  ListedEntry,
  'id' | 'at' | 'siteId' | 'siteName' | 'address' | 'changeset' | 'hasRevision'
>

export function sentenceOf(entry: Entry): Part[] {
  return [actorOf(entry), { text: ' ' }, ...fillIn(templateOf(entry), (name) => toValue(entry, name))]
}

/** Without the person, for a page that names them: `Published “How to prune roses”`. */
export function withoutActor([, , first, ...parts]: Part[]): Part[] {
  const { text = '' } = first ?? {}
  return [{ ...first, text: text.charAt(0).toUpperCase() + text.slice(1) }, ...parts]
}

/** Null for a sentence that needs more than the name of its subject, or has a time. */
export function describeOne(entry: Entry, action: string): string | null {
  const { names } = entry
  if (entry.action === action) {
    const parts = fillIn(templateOf(entry), (name) => toValue(entry, name))
    if (parts.every(({ of }) => of !== 'time')) return parts.map(({ text }) => text).join('')
  }
  const isOfResend = [action, entry.action].every((each) => each.startsWith('event.resend_'))
  // The subject of a preview link is not its post.
  const subject = action.startsWith('preview_link.') ? undefined : names.subjects[action]
  const template = (SHORT[action] ?? wordsOf(action)[0])
    .replace(/\{(title|subject)\}/, () => subject ?? '{}')
    .replace('{receiver}', isOfResend ? toValue(entry, 'receiver').text : '')
  return /\{\w*\}/.test(template) ? null : template
}

/** `Revoked keys`, for the filter. */
export function describeAction(action: string): string {
  const said = describeMany(action, null)
  return said.charAt(0).toUpperCase() + said.slice(1)
}

export function describeMany(action: string, count: number | null): string {
  return wordsOf(action)[1].replace(/ \{n ([^/}]+)\/?([^}]*)\}/, (_, one: string, many: string) => {
    if (count === null) return one === 'time' ? '' : ` ${many || `${one}s`}`
    return ` ${count !== 1 && many ? `${count.toLocaleString('en')} ${many}` : formatQuantity(count, one)}`
  })
}

/** An action of an older release has no sentence. */
function wordsOf(action: string): [one: string, many: string] {
  if (Object.hasOwn(SENTENCES, action)) return SENTENCES[action as AuditAction]
  const words = action.replaceAll(/[._]/g, ' ')
  return [`wrote “${words}”`, `wrote “${words}” {n time}`]
}

export function actorOf({ actor, channel, names }: Entry): Part {
  return { text: actor ?? whoOf({ actor, channel, key: names.key }), of: 'actor' }
}

/** The author of an entry. */
export function whoOf({
  actor,
  channel,
  key,
}: Pick<AuditEntry, 'actor' | 'channel'> & { key?: string | null }): string {
  if (actor) return actor
  if (key) return `The key “${key}”`
  if (channel === 'database') return 'SQL or the service itself'
  return channel === 'api' ? 'A key' : 'Somebody'
}

function templateOf(entry: Entry): string {
  const { action, before, after, subject } = entry
  const given =
    action === 'operator.refused'
      ? [subject?.split(' ')[0]]
      : action === 'event.resent' && subject === null
        ? ['test']
        : variantsOf(entry)
  const specific = given.find((name) => Object.hasOwn(SPECIFIC, `${action} ${name}`))
  if (specific) return SPECIFIC[`${action} ${specific}`]!
  const { change, values } = CHANGES[kindOf(changedIn(entry), before, after)]
  return wordsOf(action)[0].replace('{change}', change).replace('{values}', values)
}

/** The sentence has the values of the change. */
export const hasValues = (entry: Entry) => /\{(from|to)\}/.test(templateOf(entry))

/** The fields that may have a sentence. An edit lists its fields; another update has one if it changes one field. */
function variantsOf({ action, before, after }: Entry): string[] {
  const changed = changedIn({ before, after })
  const candidates = changed.includes('fields')
    ? ['fields']
    : action.endsWith('.updated') && changed.length > 1
      ? []
      : changed
  return candidates.flatMap((name) => [`${name} ${after?.[name] ?? 'nothing'}`, name])
}

type Fields = AuditEntry['before']

function kindOf([field, ...others]: string[], before: Fields, after: Fields): keyof typeof CHANGES {
  const values = [before?.[field!], after?.[field!]]
  if (
    others.length > 0 ||
    HIDDEN_VALUES.includes(field!) ||
    values.some((value) => typeof value === 'object')
  )
    return 'several'
  if (values[0] === undefined) return 'set'
  return values[1] === undefined ? 'removed' : 'changed'
}

export function changedIn({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string[] {
  const all = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...all].filter((name) => !IMPLIED.includes(name))
}

type Value = Part & { isUnnamed?: boolean; ending?: string }

/** A value without a name loses its quotes. */
function fillIn(template: string, toValue: (name: string) => Value): Part[] {
  return template.split(/(“?\{\w+\}”?)/).flatMap((piece) => {
    const [, open = '', name, close = ''] = /^(“?)\{(\w+)\}(”?)$/.exec(piece) ?? []
    if (!name) return { text: piece }
    const { isUnnamed, ending = '', ...value } = toValue(name)
    return isUnnamed ? value : [{ text: open }, value, { text: ending + close }]
  })
}

function toValue(entry: Entry, name: string): Value {
  const { action, subject, title, before, after, actorId, resourceId, names } = entry
  const [noun = ''] = action.split('.')
  const unnamed = { text: NOUNS[noun]?.name ?? 'something', isUnnamed: true }
  const named = (text: string | null | undefined, of: Part['of']) =>
    text ? { text, ...(of && { of }) } : unnamed
  const isOwn = actorId !== null && actorId === resourceId
  switch (name) {
    case 'title':
      return named(
        (isArticle(noun) && title) || names.article || (noun !== 'preview_link' && subject) || null,
        'article',
      )
    case 'subject':
      // The old address of a redirect has no page.
      return named(withoutPath(subject ?? names.url), noun === 'redirect' ? undefined : 'subject')
    case 'person':
      return isOwn ? { text: 'themselves' } : named(names.person, 'person')
    case 'whose':
      if (isOwn) return { text: 'their own' }
      // Not part of the name, which may be cut.
      return names.person ? { text: names.person, of: 'person', ending: '’s' } : { text: `${unnamed.text}’s` }
    case 'target':
      return names.article
        ? { text: `“${names.article}”`, of: 'article' }
        : { text: String(after?.target ?? 'a deleted page') }
    case 'path':
      return { text: pathOf(subject ?? '', names) }
    case 'fields':
      return {
        text: fieldsText(typeof after?.fields === 'string' ? editedFields(after.fields) : changedIn(entry)),
      }
    case 'result':
      return { text: resultText(after) }
    case 'receiver':
      return { text: names.url ? ` to “${withoutPath(names.url)}”` : '' }
    case 'rows':
      return { text: formatQuantity(Number(after?.rows ?? 1), 'training row') }
    case 'events':
      return { text: formatQuantity(Number(after?.events ?? 0), 'failed event') }
    case 'role':
      return { text: ROLES[String(after?.role)] ?? 'a person' }
    case 'from':
    case 'to': {
      const field = before?.slug ? 'slug' : changedIn(entry)[0]!
      return valueText(field, (name === 'from' ? before : after)?.[field], names)
    }
    default:
      return valueText(name, after?.[name] ?? before?.[name], names)
  }
}

/** A webhook without a name is named by its host. */
const withoutPath = (name: string | null) => (name && /^https?:/.test(name) ? webhookHost(name) : name)

const isArticle = (noun: string) => noun === 'post' || noun === 'guide'

/** A value of `before` or `after`. */
export function valueText(name: string, value: unknown, { sites }: Entry['names']): Part {
  if (value === undefined) return { text: name === 'sites' ? 'all sites' : 'nothing' }
  if (name === 'sites') return { text: sitesText(value as string[], sites) }
  if (name === 'fields') return { text: fieldsText(String(value).split(', ')) }
  if (name === 'lastFour') return { text: `…${value}` }
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no' }
  if (typeof value === 'number') return { text: value.toLocaleString('en') }
  if (Array.isArray(value)) return { text: value.join(', ') }
  const text = String(value)
  if (TIME.test(text) && parseInstant(text)) return { text, of: 'time' }
  return { text: name === 'reviewStatus' ? text.replaceAll('_', ' ') : text }
}

/** `2 sites: Garden, Kitchen`. Only counts sites out of the reader's reach. */
function sitesText(ids: string[], names: Record<string, string>): string {
  const known = ids.flatMap((id) => names[id] ?? []).slice(0, MAX_SITES_NAMED)
  const more = ids.length - known.length
  const list = [...known, ...(known.length > 0 && more > 0 ? [`${more} more`] : [])].join(', ')
  return formatQuantity(ids.length, 'site') + (list && `: ${list}`)
}

/** `the title, content and SEO` */
function fieldsText(names: string[]): string {
  const words = names.map(fieldInSentence)
  const isLong = words.length > MAX_FIELDS_NAMED
  const more = isLong ? words.splice(MAX_FIELDS_NAMED - 1).length : 0
  const list = [...words, ...(isLong ? [`${more} more fields`] : [])]
  return `the ${list.join(', ').replace(/, ([^,]+)$/, ' and $1')}`
}

/** Without fields that may only have followed from others. */
export function editedFields(list: string): string[] {
  const names = list.split(', ')
  return names.filter((name) => !DERIVED[name]?.some((source) => names.includes(source)))
}

/** `quality band` for `qualityBand`. */
export const fieldInSentence = (name: string): string => FIELDS[name] ?? lowerFirst(labelOf(name))

/** Leaves acronyms alone. */
const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

function resultText(after: Fields): string {
  const said = Object.entries(RESULTS).flatMap(([name, words]) =>
    after?.[name] ? `${Number(after[name]).toLocaleString('en')} ${words}` : [],
  )
  return said.join(', ') || 'nothing was left to send'
}

/** `Garden › keys › revocation` for `POST /console/sites/{id}/keys/{id}/revocation`. */
function pathOf(operation: string, { sites }: Entry['names']): string {
  const path = operation.replace(/^\S+ (\/console|\/manage\/v\d+)?\//, '')
  const steps = path.split('/').flatMap((step, index, all) => {
    if (step === 'sites' && UUID.test(all[index + 1] ?? '')) return []
    if (UUID.test(step)) return all[index - 1] === 'sites' ? (sites[step] ?? 'a site') : []
    return Object.hasOwn(STEPS, step) ? STEPS[step]! : tryDecodeURIComponent(step)
  })
  return steps.filter(Boolean).join(' › ')
}
