/** `npm run generate` writes functions/public/mcp/tools.json from this. The Worker bundle excludes this file. */
import type { Role } from '../../src/core/actor.ts'
import type { RequiredAccess } from '../http/api-key.ts'
import type { ToolResponse } from './tool.ts'

export type Entry<Needs> = {
  name: string
  title: string
  /** Condensed: what a model needs to choose the tool, and the cost of a call. */
  description: string
  operation: string
  needs: Needs
  /** `write` adds or is reversible, `overwrite` replaces data. Both are idempotent. */
  effect: 'read' | 'write' | 'overwrite' | 'send'
  /** Parameters and body properties that are not arguments. */
  hidden?: string[]
  preset?: Record<string, string>
  response?: ToolResponse
}

const BRIEF =
  'title,excerpt,status,publishedAt,language,qualityBand,reviewStatus,aiGenerated,readingTimeMinutes'
const EXPANSIONS = 'provenance,metadata,readiness'
const MARKUP = ['schemaBundle', 'faqJsonLd', 'seo']

export const KEY_TOOLS: Entry<RequiredAccess>[] = [
  {
    name: 'find_posts',
    title: 'Find posts',
    description:
      'Lists posts without their bodies, newest update first, or oldest first with updatedAfter. Each call uses one unit of the daily quota.',
    operation: 'listPosts',
    needs: 'published',
    effect: 'read',
    preset: { fields: `${BRIEF},${EXPANSIONS}` },
  },
  {
    name: 'read_post',
    title: 'Read a post',
    description:
      'Returns one post as Markdown below its title and other fields. Uses one unit of the daily quota.',
    operation: 'getPost',
    needs: 'published',
    effect: 'read',
    hidden: ['fields'],
    preset: { fields: `${BRIEF},contentHtml,${EXPANSIONS}` },
    response: { markdown: '' },
  },
  {
    name: 'get_post',
    title: 'Get a post as stored',
    description:
      'Returns one post with its HTML, seo, faqJsonLd and schemaBundle as JSON; fields limits it. Uses one unit of the daily quota.',
    operation: 'getPost',
    needs: 'published',
    effect: 'read',
  },
  {
    name: 'find_guides',
    title: 'Find guides',
    description: 'Lists published guides without their bodies. Uses no quota.',
    operation: 'listGuides',
    needs: 'published',
    effect: 'read',
    response: { without: ['contentHtml'] },
  },
  {
    name: 'read_guide',
    title: 'Read a guide',
    description: 'Returns one published guide as Markdown below its title and other fields. Uses no quota.',
    operation: 'getGuide',
    needs: 'published',
    effect: 'read',
    response: { markdown: '' },
  },
  {
    name: 'get_guide',
    title: 'Get a guide as stored',
    description: 'Returns one published guide with its HTML as JSON. Uses no quota.',
    operation: 'getGuide',
    needs: 'published',
    effect: 'read',
  },
  {
    name: 'list_changes',
    title: 'List changes',
    description:
      'Lists posts and guides written or deleted since a cursor, oldest first. Start without a cursor, then pass the cursor of each result until hasMore is false. Uses one unit of the daily quota.',
    operation: 'listChanges',
    needs: 'published',
    effect: 'read',
  },
  {
    name: 'list_redirects',
    title: 'List redirects',
    description: 'Lists where old slugs and other old addresses lead. Uses no quota.',
    operation: 'listRedirects',
    needs: 'published',
    effect: 'read',
    hidden: ['format'],
  },
  {
    name: 'get_sitemap',
    title: 'Get the sitemap',
    description: 'Returns the XML sitemap of published posts and guides. Uses one unit of the daily quota.',
    operation: 'getSitemap',
    needs: 'sitemap',
    effect: 'read',
    hidden: ['token'],
  },
]

export const OPERATOR_TOOLS: Entry<Role>[] = [
  {
    name: 'list_sites',
    title: 'List sites',
    description: 'Lists the sites, newest first. The other tools need their ids.',
    operation: 'listSites',
    needs: 'viewer',
    effect: 'read',
    preset: { limit: '20' },
  },
  {
    name: 'find_posts',
    title: 'Find posts',
    description: 'Lists drafts and published posts of a site without their bodies, newest update first.',
    operation: 'listPosts',
    needs: 'viewer',
    effect: 'read',
    preset: { limit: '20' },
  },
  {
    name: 'read_post',
    title: 'Read a post',
    description: 'Returns one post or draft as Markdown below its title and other fields.',
    operation: 'getPost',
    needs: 'viewer',
    effect: 'read',
    response: { markdown: 'post', without: MARKUP },
  },
  {
    name: 'get_post',
    title: 'Get a post as stored',
    description:
      'Returns one post as JSON. For put_post, take its `post` without originId, originSlug and status.',
    operation: 'getPost',
    needs: 'viewer',
    effect: 'read',
  },
  {
    name: 'find_guides',
    title: 'Find guides',
    description: 'Lists drafts and published guides of a site without their bodies, newest update first.',
    operation: 'listGuides',
    needs: 'viewer',
    effect: 'read',
    preset: { limit: '20' },
  },
  {
    name: 'read_guide',
    title: 'Read a guide',
    description: 'Returns one guide or draft as Markdown below its title and other fields.',
    operation: 'getGuide',
    needs: 'viewer',
    effect: 'read',
    response: { markdown: 'guide' },
  },
  {
    name: 'put_post',
    title: 'Write a post',
    description:
      'Writes a post under its slug, with its body as HTML and its sources as provenance. A new post is a draft. An existing post keeps its status and is replaced as a whole: omitted fields are cleared, so read it with get_post first. If it is published, readers see the change at once.',
    operation: 'putPost',
    needs: 'editor',
    effect: 'overwrite',
    // Other tools set the status. Origins are for imports.
    hidden: ['status', 'updatedAt', 'originId', 'originSlug'],
  },
  {
    name: 'mark_post_ready',
    title: 'Mark a draft ready',
    description:
      "Notifies the site's CMS by webhook that a draft is ready. The draft needs a qualityBand. A draft that is already ready is not sent again.",
    operation: 'markPostReady',
    needs: 'editor',
    effect: 'write',
  },
  {
    name: 'publish_post',
    title: 'Publish a post',
    description: 'Makes a draft public. Changes nothing if it is already published.',
    operation: 'publishPost',
    needs: 'editor',
    effect: 'write',
  },
  {
    name: 'unpublish_post',
    title: 'Unpublish a post',
    description: 'Makes a published post a draft again, so that readers no longer find it.',
    operation: 'unpublishPost',
    needs: 'editor',
    effect: 'overwrite',
  },
  {
    name: 'list_deliveries',
    title: 'List webhook deliveries',
    description: 'Lists delivery attempts of a site, newest first, with their errors.',
    operation: 'listDeliveries',
    needs: 'viewer',
    effect: 'read',
    preset: { limit: '20' },
  },
  {
    name: 'get_delivery',
    title: 'Show a webhook delivery',
    description: 'Returns one attempt with its request and response.',
    operation: 'getDelivery',
    needs: 'viewer',
    effect: 'read',
  },
  {
    name: 'resend_event',
    title: 'Send an event again',
    description:
      'Sends a finished event again at once, to the current URL of its webhook, even if it was delivered. 404 if the webhook was removed.',
    operation: 'resendEvent',
    needs: 'editor',
    effect: 'send',
  },
]
