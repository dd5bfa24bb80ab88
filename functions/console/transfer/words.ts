/** The report in the words of the console. It has the facts of the command line, which prints them in its own. */
import type { Reason } from '../../../src/cli/import/losses.ts'
import type { LossFacts } from '../../../src/cli/import/report-lines.ts'
import { POST_FIELDS } from '../../../src/content/posts/fields.ts'
import type { Issue } from '../../../src/core/errors.ts'
import type { Failure } from '../../../src/transfer/failure.ts'
import type { Skipped } from '../../../src/transfer/source.ts'
import { labelOf } from '../parts/fields/field-labels.ts'

/** For reasons with names of the API, of flags or of a source's internals. */
const REASONS: Partial<Record<Reason, string>> = {
  'a card that cannot be converted': 'a Ghost card that has no counterpart here',
  'a file is not in --media': 'the file stays where it is',
  'a page: --pages guides imports it': 'a page: turn on "Import pages as guides" under Options to import it',
  'an atom becomes text': 'an inline element becomes text',
  'another title for search engines is left out, since there is an ogTitle':
    'the social title is used, and another title for search engines is left out',
  'declarations in the file, such as entities, are neither expanded nor fetched':
    'declarations in the file are ignored',
  'guides have no such field': 'guides here have no field for it',
  'has no from and to': 'it has no old or no new address',
  'left out': 'not supported here',
  'images of a [gallery] are not in this import': 'images of a gallery are not in this file',
  'invalid for its field, and kept only in the schema bundle or the keywords':
    'it does not fit its field, so only the structured data or the keywords have it',
  'og_title is used instead': 'the social title is used instead',
  'posts have no such field': 'posts here have no field for it',
  'WordPress shows drafts, private and scheduled posts only with WORDPRESS_USER and WORDPRESS_PASSWORD':
    'WordPress does not show drafts, private and scheduled posts',
}

/** Fields of this service by their label, and those of a source by the name that they have there. */
export function fieldWords(field: string): { label: string } | { name: string } {
  const [first = ''] = field.split('.')
  if (field === 'page') return { label: 'Page' }
  if (first === 'schemaBundle' || first === 'faqJsonLd') return { label: 'Structured data' }
  if (/^redirect(?:_to)?$/.test(field)) return { label: 'Redirect' }
  if (!Object.hasOwn(POST_FIELDS, first)) return { name: field }
  const label = labelOf(field)
  return { label: label === field && label.includes('.') ? labelOf(first) : label }
}

export function lossWords({ reason, details, more }: Pick<LossFacts, 'reason' | 'details' | 'more'>): string {
  const words = REASONS[reason as Reason] ?? reason
  const rest = more > 0 ? ` and ${more.toLocaleString('en')} more` : ''
  return sentence(details.length > 0 ? `${words}: ${details.join(', ')}${rest}` : words)
}

export function placeWords({ first, files }: Pick<LossFacts, 'first' | 'files'>): string {
  const place = titleIn(first)
  return files === 1 ? place : `${place} and ${(files - 1).toLocaleString('en')} more`
}

/** The title in `item 12 (Hello)`. Other places stay as they are. */
export const titleIn = (place: string) => /^(?:item|post|page) \d+ \((.+)\)$/s.exec(place)?.[1] ?? place

export const skipWords = ({ reason, issues = [] }: Skipped) =>
  sentence(issues.length > 0 ? issueWords(issues) : reason)

const issueWords = (issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${wordsOf(path)} ${message}`.trim()).join('; ')

/** Why an import ended, without a capital and a full stop. */
export const problemWords = ({ message, issues }: Failure) =>
  issues.length > 0 ? issueWords(issues) : message

function wordsOf(path: string): string {
  if (path === '') return ''
  const words = fieldWords(path.replace(/\[\d+\].*/, ''))
  return 'label' in words ? words.label : words.name
}

export const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
