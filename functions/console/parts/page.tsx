/** The parts of every page: headings, sections, notices and empty states. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import type { Errors } from '../forms/form.ts'
import { TABS } from '../menu.ts'
import { Icon } from './icon.tsx'
import { oneLine } from './one-line.ts'
import { RequireRole } from './require-role.tsx'
import { SiteLink } from './site-link.tsx'

type HeadingProps = { title: string; lead?: Child; action?: Child }
type PageHeadingProps = HeadingProps & {
  mark?: Child
}

export function PageHeading({ title, mark, lead, action }: PageHeadingProps) {
  return (
    <div class="heading">
      <div>
        <h1 dir="auto">
          {mark}
          {oneLine(title)}
        </h1>
        {lead && (
          <p class="lead" dir="auto">
            {lead}
          </p>
        )}
      </div>
      {action}
    </div>
  )
}

type Tabbed = keyof typeof TABS
type TabbedHeadingProps<Title extends Tabbed> = {
  title: Title
  current: keyof (typeof TABS)[Title]
  action?: Child
}

export function TabbedHeading<Title extends Tabbed>({ title, current, action }: TabbedHeadingProps<Title>) {
  return (
    <div class="row list-heading">
      <PageHeading title={title} />
      <nav class="kinds" aria-label={title}>
        {Object.entries(TABS[title]).map(([name, path]) => (
          <SiteLink to={path} aria-current={name === current ? 'page' : undefined}>
            {name}
          </SiteLink>
        ))}
      </nav>
      {action}
    </div>
  )
}

type ItemHeadingProps = {
  title: string
  badges: Child
  children: Child
  /** Links and a menu, after the buttons. */
  end: Child
}

/** The heading of an item page. The title has a line of its own. */
export function ItemHeading({ title, badges, children, end }: ItemHeadingProps) {
  return (
    <div>
      <h1 dir="auto">{oneLine(title)}</h1>
      <div class="row article-way">
        <p class="row states">{badges}</p>
        <div class="actions">
          {children}
          <div class="row">{end}</div>
        </div>
      </div>
    </div>
  )
}

/** Actions that are needed less often, at the end of a heading. */
export function MoreMenu({ needs = 'viewer', children }: { needs?: Role; children: Child }) {
  return (
    <RequireRole needs={needs}>
      <details class="menu more">
        <summary class="button">
          <Icon name="more" />
          <span class="visually-hidden">More</span>
        </summary>
        <div class="menu-panel items plain">{children}</div>
      </details>
    </RequireRole>
  )
}

export function Section({
  id,
  title,
  lead,
  action,
  children,
}: HeadingProps & { id: string; children?: Child }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <div class="heading">
        <div>
          <h2 id={`${id}-title`}>{title}</h2>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

type Tone = 'info' | 'success' | 'warning' | 'danger'

export type NoticeProps = {
  /** Buttons at its end. */
  action?: Child
  /** Focuses the notice, because the form that had the focus is no longer on the page. */
  isFocused?: boolean
}

/** Screen readers read errors immediately, and other notices when idle. */
export function Notice({ tone, action, isFocused, children }: NoticeProps & { tone: Tone; children: Child }) {
  return (
    <div
      class={`notice ${tone}`}
      role={tone === 'danger' ? 'alert' : 'status'}
      {...(isFocused && { tabindex: -1, autofocus: true })}
    >
      {action ? (
        <div class="row">
          <div>{children}</div>
          <div class="actions">{action}</div>
        </div>
      ) : (
        children
      )}
    </div>
  )
}

/** The summary above a refused form. `done` completes "Nothing was …". One error is focused, and read, with its field. */
export function ErrorSummary({ errors, done = 'saved' }: { errors: Errors; done?: string }) {
  const { '': other, ...ofFields } = errors
  const count = Object.keys(ofFields).length
  if (count < 2 && !other) return null
  const sentences = [
    `Nothing was ${done}.`,
    count > 0 && (count === 1 ? 'One field needs a change.' : `${count} fields need a change.`),
    other && `${other}.`,
  ]
  return <Notice tone="danger">{sentences.filter(Boolean).join(' ')}</Notice>
}

/** Stands in place of a list without entries. */
export function EmptyState({ title, children }: { title: string; children: Child }) {
  return (
    <div class="empty">
      <p>{title}</p>
      {children}
    </div>
  )
}
