import {
  ChangeRequestInput,
  MAX_NOTE_LENGTH,
  requestChanges,
  resolveChanges,
} from '../../../src/content/posts/change-request.ts'
import { type InspectedPost, inspectPost } from '../../../src/content/posts/inspect.ts'
import { findTitle } from '../../../src/content/posts/publication-schedule.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { createApp, type Http } from '../../http/env.ts'
import { redirectDone } from '../actions/done.tsx'
import { type Errors, readForm, submit } from '../forms/form.ts'
import { formPage } from '../forms/form-page.tsx'
import { toLines } from '../forms/three-way-merge.ts'
import { addQuery, itemPath } from '../parent-list.ts'
import { TextAreaField } from '../parts/fields/field.tsx'
import { Form, PostButton } from '../parts/fields/form.tsx'
import { Notice } from '../parts/page.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { By, Time } from '../parts/time.tsx'
import { redirectInSite } from '../site.ts'
import { UNSCHEDULED } from './schedule.tsx'

const PATH = '/content/posts/:slug/change-request'
const pathOf = (slug: string) => `${itemPath('posts', slug)}/change-request`

export const changeRequests = createApp()

changeRequests.get(PATH, async (c) => {
  requireRole(c.get('ctx'), 'editor')
  const { changeRequest } = await inspectPost(c.get('ctx'), c.get('site'), c.req.param('slug'), {
    sort: 'updated',
  })
  return requestPage(c, changeRequest?.note)
})

changeRequests.post(PATH, async (c) => {
  const slug = c.req.param('slug')
  const { note = '' } = await readForm(c)
  requireRole(c.get('ctx'), 'editor')
  const { result, errors } = await submit(ChangeRequestInput, { note: toLines(note) }, (input) =>
    requestChanges(c.get('ctx'), c.get('site'), slug, input),
  )
  if (errors) return requestPage(c, note, errors)
  const query = { [UNSCHEDULED]: result.cancelledSchedule }
  return redirectInSite(c, addQuery(itemPath('posts', result.slug), query))
})

changeRequests.post(`${PATH}/resolution`, async (c) => {
  const { slug } = await resolveChanges(c.get('ctx'), c.get('site'), c.req.param('slug'))
  return redirectDone(c, itemPath('posts', slug), 'post', 'resolved')
})

// Reloading the error page sends a GET.
changeRequests.get(`${PATH}/resolution`, (c) => redirectInSite(c, itemPath('posts', c.req.param('slug'))))

async function requestPage(c: Http, note = '', errors: Errors = {}) {
  const slug = c.req.param('slug')!
  const lead = await findTitle(c.get('ctx'), c.get('site'), slug)
  return formPage(
    c,
    { tab: 'Content', title: 'Request changes' },
    { lead, errors },
    <Form submit="Request changes" cancel={itemPath('posts', slug)}>
      <TextAreaField
        label="Note to the writer"
        name="note"
        value={note}
        error={errors.note}
        rows={4}
        required
        autofocus
        hint={`At most ${MAX_NOTE_LENGTH.toLocaleString('en')} characters. Not visible in the API.`}
      />
    </Form>,
  )
}

type Reviewed = Pick<InspectedPost, 'post' | 'changeRequest' | 'isBlocked' | 'publishAt'>

export function ChangeRequestNotice({ post, changeRequest, isBlocked, publishAt }: Reviewed) {
  if (!isBlocked) return null
  return (
    <Notice
      tone="warning"
      action={
        <PostButton needs="editor" class="button small" action={`${pathOf(post.slug)}/resolution`}>
          Resolve
        </PostButton>
      }
    >
      <p>
        <strong>
          Changes requested
          {changeRequest && (
            <>
              <By name={changeRequest.requestedBy} /> <Time at={changeRequest.requestedAt} isRelative />
            </>
          )}
        </strong>
        {changeRequest?.changedAt && (
          <>
            , post changed <Time at={changeRequest.changedAt} isRelative />
          </>
        )}
      </p>
      {changeRequest && (
        <p class="lines" dir="auto">
          “{changeRequest.note}”
        </p>
      )}
      {post.status === 'draft' && !publishAt && <p>You can publish the post once they are resolved.</p>}
    </Notice>
  )
}

export function ChangeRequestLink({ post: { slug }, changeRequest }: Reviewed) {
  return <SiteLink to={pathOf(slug)}>{changeRequest ? 'Update request…' : 'Request changes…'}</SiteLink>
}
