import type { Child } from 'hono/jsx'

export function EmptyState({ title, children }: { title: string; children: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
