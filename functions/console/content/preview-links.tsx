import {
  createPreviewLink,
  LINK_DAYS,
  type PreviewLink,
  previewLinkUrl,
  revokePreviewLink,
} from '../../../src/content/posts/preview-links.ts'
import { orNull } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { createApp } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { redirectDone } from '../actions/done.tsx'
import { readForm } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { isLive, ValidityBadge } from '../parts/badge.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/page.tsx'
import { shownOncePage } from '../parts/shown-once.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'

const PATH = '/content/posts/:slug/preview-links'
const pathOf = ({ slug }: { slug: string }) => `${itemPath('posts', slug)}/preview-links`

export const previewLinks = createApp()

previewLinks.post(PATH, async (c) => {
  const slug = c.req.param('slug')
  const { id = '' } = await readForm(c)
  const own = { id: UUID.test(id) ? id : undefined }
  const link = await orNull(createPreviewLink(c.get('ctx'), c.get('site'), slug, own), 'preview_link_exists')
  if (!link) return redirectDone(c, itemPath('posts', slug), 'post', 'linked')
  return shownOncePage(c, {
    page: { tab: 'Content', title: 'Preview link created' },
    lead: 'Anyone with this link can see the draft without signing in.',
    warning: 'Copy the link now. You will not see it again.',
    label: 'Link',
    text: previewLinkUrl(link.token, new URL(c.req.url).origin),
    done: itemPath('posts', slug),
    below: (
      <p class="muted">
        It expires <Time at={link.expiresAt} />. You can revoke it earlier on the page of the post.
      </p>
    ),
  })
})

previewLinks.post(`${PATH}/:linkId/revocation`, async (c) => {
  const slug = c.req.param('slug')
  const linkId = idOf(c, 'linkId', 'preview_link_not_found')
  await revokePreviewLink(c.get('ctx'), c.get('site'), slug, linkId)
  return redirectDone(c, itemPath('posts', slug), 'post', 'revoked')
})

/** The id keeps a reload from creating a second link. */
export function NewLinkButton({ post }: { post: { slug: string } }) {
  return (
    <PostButton needs="editor" class="" action={pathOf(post)} name="id" value={crypto.randomUUID()}>
      Create preview link
    </PostButton>
  )
}

type LinksSectionProps = { post: { slug: string }; links: PreviewLink[] }

export function LinksSection({ post, links }: LinksSectionProps) {
  if (links.length === 0) return null
  return (
    <Section
      id="preview-links"
      title="Preview links"
      lead={`Anyone with a link can see the post, for ${LINK_DAYS} days by default. Links stop working when they are revoked, or when the person who created them is removed.`}
    >
      <Table
        label="Preview links"
        columns={['Expires', 'Created', 'By', '']}
        rows={links.map((link) => [
          <>
            Expires <Time at={link.expiresAt} /> <code class="below">…{link.lastFour}</code>
          </>,
          <Time at={link.createdAt} isRelative />,
          link.createdBy && <bdi>{link.createdBy}</bdi>,
          isLive(link) ? (
            <PostButton needs="editor" class="button small" action={`${pathOf(post)}/${link.id}/revocation`}>
              Revoke<span class="visually-hidden"> …{link.lastFour}</span>
            </PostButton>
          ) : (
            <ValidityBadge of={link} />
          ),
        ])}
      />
    </Section>
  )
}
