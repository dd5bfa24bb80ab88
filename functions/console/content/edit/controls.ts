/** The controls of the form that edits an article. A field that a put takes and people do not edit has none. */
import type { Inputs } from '../../../../src/content/articles/field-table.ts'
import type { GUIDE_FIELDS } from '../../../../src/content/guides/fields.ts'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import type { POST_FIELDS } from '../../../../src/content/posts/fields.ts'
import type { reviewStatuses } from '../../../../src/db/schema.ts'
import { BAND_NAMES } from '../band-names.ts'

export type Control = {
  label: string
  /** A `list` is one text a line, and `people` a name a line, with a URL in angle brackets after it. */
  kind: 'line' | 'text' | 'html' | 'choice' | 'list' | 'people'
  section: 'text' | 'place' | 'quality' | 'metadata' | 'seo'
  hint?: string
  /** The values of a choice, each as it is shown. */
  options?: Readonly<Record<string, string>>
  required?: true
}

type Controls<Table> = Record<keyof Inputs<Table>, Control | { members: Record<string, Control> } | null>

const { none: _, ...bands } = BAND_NAMES
export const QUALITY_BANDS = bands

export const REVIEW_STATUSES = {
  pending: 'Pending',
  approved: 'Approved',
  changes_requested: 'Changes requested',
} as const satisfies Record<(typeof reviewStatuses)[number], string>

export const GUIDE_CONTROLS = {
  slug: {
    label: 'Slug',
    kind: 'line',
    section: 'place',
    hint: 'The API then answers 404 at the old slug. If the old URL was public, the redirects of the site lead from it to the new one.',
    required: true,
  },
  title: { label: 'Title', kind: 'line', section: 'text', required: true },
  excerpt: {
    label: 'Excerpt',
    kind: 'text',
    section: 'text',
    hint: 'Leave empty for the beginning of the content.',
  },
  contentHtml: { label: 'Content', kind: 'html', section: 'text' },
  status: null,
  publishedAt: null,
  updatedAt: null,
  originId: null,
  originSlug: null,
  readingTimeMinutes: null,
} as const satisfies Controls<typeof GUIDE_FIELDS>

export const POST_CONTROLS = {
  ...GUIDE_CONTROLS,
  qualityBand: {
    label: 'Quality band',
    kind: 'choice',
    section: 'quality',
    options: QUALITY_BANDS,
    hint: 'A draft needs one to be marked ready.',
  },
  trustScore: null,
  assuranceLabel: { label: 'Assurance label', kind: 'line', section: 'quality' },
  reviewStatus: { label: 'Review', kind: 'choice', section: 'quality', options: REVIEW_STATUSES },
  aiGenerated: null,
  language: {
    label: 'Language',
    kind: 'line',
    section: 'place',
    hint: 'A code such as en or pt-BR. Leave empty for the default of the site.',
  },
  sourceSlug: null,
  sourcePostId: null,
  provenance: null,
  seo: {
    members: {
      metaDescription: {
        label: 'Description',
        kind: 'text',
        section: 'seo',
        hint: 'Leave empty for the beginning of the excerpt.',
      },
      ogTitle: { label: 'Social title', kind: 'line', section: 'seo' },
      ogDescription: { label: 'Social text', kind: 'text', section: 'seo' },
      keywords: { label: 'Keywords', kind: 'list', section: 'seo', hint: 'One a line.' },
    },
  },
  faqJsonLd: null,
  schemaBundle: null,
  authors: {
    label: 'Authors',
    kind: 'people',
    section: 'metadata',
    hint: 'One a line, with a URL in angle brackets if there is one: Ada Lovelace <https://ada.example>',
  },
  image: {
    members: {
      url: {
        label: 'Image',
        kind: 'line',
        section: 'metadata',
        hint: 'Its address: an http or https URL, or one relative to the site.',
      },
      alt: { label: 'Description of the image', kind: 'line', section: 'metadata' },
    },
  },
  categories: { label: 'Categories', kind: 'list', section: 'metadata', hint: 'One a line.' },
  tags: { label: 'Tags', kind: 'list', section: 'metadata', hint: 'One a line.' },
  canonicalUrl: {
    label: 'Canonical URL',
    kind: 'line',
    section: 'metadata',
    hint: 'The URL that search engines should use for the post, if it is not its own.',
  },
  modifiedAt: null,
} as const satisfies Controls<typeof POST_FIELDS>

/** A control and the field that it edits, or a member of one. `name` is such as `title` or `seo.metaDescription`. */
export type Editable = { name: string; field: string; member: string | null; control: Control }

const editablesOf = (controls: Controls<typeof GUIDE_FIELDS>): Editable[] =>
  Object.entries(controls).flatMap(([field, control]): Editable[] => {
    if (!control) return []
    if (!('members' in control)) return [{ name: field, field, member: null, control }]
    return Object.entries(control.members).map(([member, control]) => ({
      name: `${field}.${member}`,
      field,
      member,
      control,
    }))
  })

/** In the order of the form. */
export const EDITABLES: Record<ArticleKind, Editable[]> = {
  posts: editablesOf(POST_CONTROLS),
  guides: editablesOf(GUIDE_CONTROLS),
}
