import type { InspectedPost } from '../../../src/content/posts/inspect.ts'
import {
  cancelSchedule,
  findTitle,
  MAX_SCHEDULE_DAYS,
  PublicationScheduleInput,
  schedulePost,
} from '../../../src/content/posts/publication-schedule.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { createApp, type Http } from '../../http/env.ts'
import { textOf } from '../../http/errors.ts'
import { redirectDone } from '../actions/done.tsx'
import { type Errors, readForm, submit } from '../forms/form.ts'
import { formPage } from '../forms/form-page.tsx'
import { addQuery, itemPath } from '../parent-list.ts'
import { Form, PostButton } from '../parts/fields/form.tsx'
import { InstantField, toInstantText } from '../parts/fields/instant-field.tsx'
import { Notice } from '../parts/page.tsx'
import { RequireRole } from '../parts/require-role.tsx'
import { By, Time } from '../parts/time.tsx'
import { redirectInSite, useRequestContext } from '../site.ts'

const PATH = '/content/posts/:slug/publication-schedule'
const pathOf = (slug: string) => `${itemPath('posts', slug)}/publication-schedule`

export const schedules = createApp()

schedules.post(PATH, async (c) => {
  const slug = c.req.param('slug')
  const { publishAt = '' } = await readForm(c)
  requireRole(c.get('ctx'), 'editor')
  const { result, errors } = await submit(
    PublicationScheduleInput,
    { publishAt: publishAt === '' ? undefined : toInstantText(publishAt) },
    (input) => schedulePost(c.get('ctx'), c.get('site'), slug, input, { unlessChangesRequested: true }),
    { refusals: REFUSALS },
  )
  // The page says when it is published.
  if (result) return redirectInSite(c, itemPath('posts', result.slug))
  if (errors['']) return refused(c, 409, slug, publishAt, errors)
  return refused(c, 400, slug, publishAt, isPast(publishAt) ? { publishAt: PAST } : errors)
})

const REFUSALS = {
  published_already: { '': textOf('published_already')! },
  changes_requested: { '': textOf('changes_requested')! },
}

schedules.post(`${PATH}/cancellation`, async (c) => {
  const { slug } = await cancelSchedule(c.get('ctx'), c.get('site'), c.req.param('slug'))
  return redirectDone(c, itemPath('posts', slug), 'post', 'unscheduled')
})

// Reloading the error page sends a GET.
for (const path of [PATH, `${PATH}/cancellation`] as const)
  schedules.get(path, (c) => redirectInSite(c, itemPath('posts', c.req.param('slug'))))

const PAST = `is in the past: must be within the next ${MAX_SCHEDULE_DAYS} days`
const isPast = (text: string) => Date.parse(toInstantText(text)) <= Date.now()

const MINUTE_MS = 60_000

type FormProps = { slug: string; value?: string; errors?: Errors; cancel?: string }

function ScheduleForm({ slug, value, errors = {}, cancel }: FormProps) {
  const nextMinute = new Date(Date.now() + MINUTE_MS)
  nextMinute.setUTCSeconds(0, 0)
  const tomorrow = new Date(Date.now() + DAY_MS)
  tomorrow.setUTCHours(9, 0, 0, 0)
  return (
    <Form needs="editor" action={pathOf(slug)} submit="Schedule" cancel={cancel}>
      <InstantField
        label="Publish at"
        name="publishAt"
        value={value ?? tomorrow.toISOString()}
        error={errors.publishAt}
        min={nextMinute.toISOString()}
        data-presets={value === undefined ? 'suggested' : 'chosen'}
        required
      />
    </Form>
  )
}

async function refused(c: Http, status: 400 | 409, slug: string, value: string, errors: Errors) {
  const lead = await findTitle(c.get('ctx'), c.get('site'), slug)
  return formPage(
    c,
    { tab: 'Content', title: 'Not scheduled' },
    { lead, errors, done: 'scheduled', status },
    <ScheduleForm {...{ slug, value, errors }} cancel={itemPath('posts', slug)} />,
  )
}

type Scheduled = Pick<InspectedPost, 'post' | 'publishAt' | 'scheduledBy' | 'isBlocked'>

export function ScheduleNotice({ publishAt, scheduledBy, isBlocked, post: { slug } }: Scheduled) {
  if (!publishAt) return null
  return (
    <Notice
      tone="info"
      action={
        <PostButton needs="editor" class="button small" action={`${pathOf(slug)}/cancellation`}>
          Cancel schedule
        </PostButton>
      }
    >
      Scheduled for <Time at={publishAt} />
      <By name={scheduledBy?.name} />.{isBlocked && ' It publishes even if the changes are not resolved.'}{' '}
      Editing the draft cancels the schedule.
    </Notice>
  )
}

/** The page of a post with the schedule menu open. */
export const schedulePath = (post: string) => addQuery(post, { menu: 'schedule' })

/** Next to Publish. */
export function ScheduleMenu({ post: { slug }, publishAt }: Scheduled) {
  const isOpen = useRequestContext().req.query('menu') === 'schedule'
  return (
    <RequireRole needs="editor">
      <details class="menu" open={isOpen}>
        <summary class="button">{publishAt ? 'Reschedule' : 'Schedule'}</summary>
        <div class="menu-panel">
          <ScheduleForm slug={slug} {...(publishAt && { value: publishAt.toISOString() })} />
        </div>
      </details>
    </RequireRole>
  )
}

/** The query parameter with the time of a cancelled schedule. */
export const UNSCHEDULED = 'unscheduled'

/** Names the schedule that a write cancelled, and offers to schedule a future one again. */
export function CancelledNotice({ publishAt, isBlocked, post: { slug, status } }: Scheduled) {
  const at = new Date(useRequestContext().req.query(UNSCHEDULED) ?? '')
  if (Number.isNaN(at.getTime()) || publishAt) return null
  const isPast = at.getTime() <= Date.now()
  return (
    <Notice
      tone="warning"
      action={
        status === 'draft' &&
        !isPast &&
        !isBlocked && (
          <PostButton
            needs="editor"
            class="button small"
            action={pathOf(slug)}
            name="publishAt"
            value={at.toISOString()}
          >
            Reschedule for <Time at={at} />
          </PostButton>
        )
      }
    >
      The schedule for <Time at={at} /> was cancelled.
      {status === 'draft' && isPast && ' Its time has passed, so it cannot be restored.'}
    </Notice>
  )
}

/** Schedules again what a publication cancelled. @returns null if the time has passed */
export async function restoreSchedule(c: Http, slug: string, unscheduled: string | undefined) {
  const { data } = PublicationScheduleInput.safeParse({ publishAt: unscheduled })
  return data ? schedulePost(c.get('ctx'), c.get('site'), slug, data) : null
}
