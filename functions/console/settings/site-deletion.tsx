import { requireRole } from '../../../src/core/actor.ts'
import { countContents, deleteSite, MAX_COUNTED } from '../../../src/sites/deletion.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { redirectDone } from '../actions/done.tsx'
import { type Errors, fieldsOf, readForm, type Values } from '../forms/form.ts'
import { TextField } from '../parts/fields/field.tsx'
import { oneLine } from '../parts/one-line.ts'
import { Section } from '../parts/page.tsx'
import { listQuantities } from '../parts/quantity.ts'
import { useAllowed } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { forgetRecentSite } from '../recent-sites.ts'
import { DELETION } from '../site.ts'

export const siteDeletion = createApp()

siteDeletion.get(DELETION, (c) => deletionPage(c, {}, {}))

siteDeletion.post(DELETION, async (c) => {
  const { id, name } = c.get('site')
  const values = await readForm(c)
  if (toLine(values.name ?? '') !== toLine(name)) {
    c.status(400)
    return deletionPage(c, values, { name: "This is not the site's name" })
  }
  const isGone = await deleteSite(c.get('ctx'), id, name)
  forgetRecentSite(c, id)
  return redirectDone(c, '/console/sites', 'sites', isGone ? 'deleted' : 'deleting', { of: name })
})

/** Pages and fields drop the line breaks and double spaces of a name, and may change its normal form. */
const toLine = (text: string) => text.normalize('NFC').trim().replaceAll(/\s+/g, ' ')

async function deletionPage(c: Http, values: Values, errors: Errors) {
  const { id, name, deletionStartedAt } = c.get('site')
  const page = { tab: 'Settings', title: 'Delete site', isNarrow: true } as const
  if (deletionStartedAt) {
    return c.render(
      <div class="confirm">
        <h1>
          “<bdi>{name}</bdi>” is being deleted
        </h1>
        <p>
          Its keys no longer work, and it can no longer be opened. Some of its content is still stored and is
          being deleted.
        </p>
      </div>,
      page,
    )
  }
  requireRole(c.get('ctx'), 'admin')
  const field = fieldsOf(values, errors)
  const { posts, guides, trainingRows, redirects, keys, webhooks } = await countContents(c.get('ctx'), id)
  const counts = [
    [posts, 'post'],
    [guides, 'guide'],
    [trainingRows, 'training row'],
    [redirects, 'redirect'],
    [keys, 'key'],
    [webhooks, 'webhook'],
  ] as const
  const contents = listQuantities(counts, MAX_COUNTED)
  return c.render(
    <Confirm
      title="Delete the site “{name}”?"
      name={name}
      needs="admin"
      submit="Delete site"
      cancel="/settings"
      field={<TextField label={`Type “${oneLine(name)}” to confirm`} {...field('name')} required />}
    >
      <p>
        This deletes {contents && <strong>{contents}</strong>}
        {contents && ', and '}the settings, deliveries, published sitemap and usage of the site.
      </p>
      <p>Keys stop working with the next request, so programs that use them fail. This cannot be undone.</p>
    </Confirm>,
    page,
  )
}

export function DeletionSection() {
  if (!useAllowed('admin')) return null
  return (
    <Section
      id="deletion"
      title="Delete site"
      action={<ButtonLink to={DELETION} text="Delete site…" look="danger" />}
      lead="The site, its content and its keys are deleted for good."
    />
  )
}
