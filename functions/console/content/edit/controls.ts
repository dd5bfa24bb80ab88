/** The controls of the edit form. Fields that people do not edit are null. */
import type { Inputs } from '../../../../src/content/articles/field-table.ts'
import type { GUIDE_FIELDS } from '../../../../src/content/guides/guide.ts'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import type { POST_FIELDS } from '../../../../src/content/posts/fields.ts'
import type { reviewStatuses } from '../../../../src/db/schema.ts'
import { BAND_NAMES } from '../state-badges.tsx'

export type Control = {
  label: string
  /** A `list` has one text per line; `people` has one name per line, with an optional URL in angle brackets. */
  kind: 'line' | 'text' | 'html' | 'choice' | 'list' | 'people'
  section: 'title' | 'content' | 'metadata' | 'place' | 'quality' | 'seo'
  hint?: string
  /** The display texts of a choice. */
  options?: Readonly<Record<string, string>>
  required?: true | undefined
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
    hint: 'The API then returns 404 for the old slug. If the old URL was public, it redirects to the new one.',
    required: true,
  },
  title: { label: 'Title', kind: 'line', section: 'title', required: true },
  contentHtml: { label: 'Content', kind: 'html', section: 'content' },
  excerpt: {
    label: 'Excerpt',
    kind: 'text',
    section: 'metadata',
    hint: 'Leave empty to use the beginning of the content.',
  },
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
    hint: 'Required to mark a draft ready.',
  },
  trustScore: null,
  assuranceLabel: { label: 'Assurance label', kind: 'line', section: 'quality' },
  reviewStatus: { label: 'Approval', kind: 'choice', section: 'quality', options: REVIEW_STATUSES },
  aiGenerated: null,
  language: {
    label: 'Language',
    kind: 'line',
    section: 'place',
    hint: 'A code such as en or pt-BR. Leave empty to use the default language of the site.',
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
        hint: 'Leave empty to use the beginning of the excerpt.',
      },
      ogTitle: { label: 'Social title', kind: 'line', section: 'seo' },
      ogDescription: { label: 'Social text', kind: 'text', section: 'seo' },
      keywords: { label: 'Keywords', kind: 'list', section: 'seo' },
    },
  },
  faqJsonLd: null,
  schemaBundle: null,
  authors: {
    label: 'Authors',
    kind: 'people',
    section: 'metadata',
    hint: 'One per line, optionally with a URL in angle brackets: Ada Lovelace <https://ada.example>',
  },
  categories: { label: 'Categories', kind: 'list', section: 'metadata' },
  tags: { label: 'Tags', kind: 'list', section: 'metadata' },
  image: {
    members: {
      url: {
        label: 'Image',
        kind: 'line',
        section: 'metadata',
        hint: 'An http or https URL, or one relative to the site.',
      },
      alt: { label: 'Image description', kind: 'line', section: 'metadata' },
    },
  },
  canonicalUrl: {
    label: 'Canonical URL',
    kind: 'line',
    section: 'seo',
    hint: 'The URL that search engines should use, if it is not the URL of the post.',
  },
  modifiedAt: null,
} as const satisfies Controls<typeof POST_FIELDS>

/** Before an article has a slug. */
export const NEW_SLUG: Control = {
  ...GUIDE_CONTROLS.slug,
  hint: 'Leave empty to make it from the title.',
  required: undefined,
}

/** A control and the field or member that it edits. `name` is `title` or `seo.metaDescription`, for example. */
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
