/** The links to a draft, on its page: creating one, which is shown once, and revoking one. */
import {
  createPreviewLink,
  LINK_DAYS,
  type PreviewLink,
  previewLinkUrl,
  revokePreviewLink,
} from '../../../src/content/posts/preview-links.ts'
import { orNull } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { createApp } from '../../http/create-app.ts'
import { idOf } from '../../http/request.ts'
import { redirectDone } from '../actions/done.tsx'
import { readForm } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/heading.tsx'
import { isLive, LifeBadge } from '../parts/life.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
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
  c.status(201)
  return c.render(
    <ShownOnce
      title="Preview link created"
      lead="Whoever has it sees the draft, without signing in."
      warning="Copy the link now and send it. Only its hash is kept here, and it cannot be shown again."
      label="Link"
      text={previewLinkUrl(link.token, new URL(c.req.url).origin)}
      done={itemPath('posts', slug)}
    >
      <p class="muted">
        It expires <Time at={link.expiresAt} />, and can be revoked before on the page of the post.
      </p>
    </ShownOnce>,
    { tab: 'Content', title: 'Preview link created' },
  )
})

previewLinks.post(`${PATH}/:linkId/revocation`, async (c) => {
  const slug = c.req.param('slug')
  const linkId = idOf(c, 'linkId', 'preview_link_not_found')
  await revokePreviewLink(c.get('ctx'), c.get('site'), slug, linkId)
  return redirectDone(c, itemPath('posts', slug), 'post', 'revoked')
})

/** Sent again on a reload, it creates no second link. */
export function NewLinkButton({ post }: { post: { slug: string } }) {
  return (
    <PostButton needs="editor" action={pathOf(post)} name="id" value={crypto.randomUUID()}>
      Preview link
    </PostButton>
  )
}

type LinksSectionProps = { post: { slug: string }; links: PreviewLink[] }

/** Renders nothing without links. */
export function LinksSection({ post, links }: LinksSectionProps) {
  if (links.length === 0) return null
  return (
    <Section
      id="preview-links"
      title="Preview links"
      lead={`Each shows the post to whoever has it, for ${LINK_DAYS} days unless said otherwise. A revoked one opens nothing from the next request on, and neither does one whose maker has left.`}
    >
      <Table
        label="Preview links"
        columns={['Ends with', 'State', 'Created', 'By', 'Expires', '']}
        rows={links.map((link) => [
          <code>…{link.lastFour}</code>,
          <LifeBadge of={link} />,
          <Time at={link.createdAt} />,
          link.createdBy && <bdi>{link.createdBy}</bdi>,
          <Time at={link.expiresAt} />,
          isLive(link) && (
            <PostButton needs="editor" class="button small" action={`${pathOf(post)}/${link.id}/revocation`}>
              Revoke<span class="visually-hidden"> …{link.lastFour}</span>
            </PostButton>
          ),
        ])}
      />
    </Section>
  )
}
